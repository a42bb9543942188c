// How names are written on the scene: with a halo of the paper's colour, so that lines behind them do not hide them.

import { colour } from "./palette.js";

const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

/** A concept's name below it. */
export function drawLabel(context, data, settings) {
  if (!data.label) return;
  const size = Math.max(settings.labelSize, Math.min(17, settings.labelSize + data.size / 5));
  write(context, data, size, data.strong ? 650 : 500);
}

/** The name of the concept under the pointer. */
export function drawHover(context, data, settings) {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 4, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = colour("ink");
  context.stroke();
  write(context, data, Math.max(settings.labelSize + 1, 14), 650);
}

function write(context, data, size, weight) {
  context.font = `${weight} ${size}px ${FAMILY}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = colour("veil");
  const y = data.y + data.size + 3;
  context.strokeText(data.label, data.x, y);
  context.fillStyle = data.faint ? colour("quiet") : colour("ink");
  context.fillText(data.label, data.x, y);
  context.textAlign = "start";
  context.textBaseline = "alphabetic";
}
