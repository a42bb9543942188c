// Places concepts by ForceAtlas2 (Jacomy et al., 2014) away from the page's own thread. Takes the two matrices of the
// kernel, ten numbers a node and three an edge; sends positions [x, y, …] after every batch. At last, concepts that
// cover each other are pushed apart.

import { iterate } from "/vendor/layout.js";

const NODE = 10;
const SIZE = 8; // where a node's radius is, in pixels of the screen
const BATCH = 30; // milliseconds between two looks
const SCREEN = [1000, 620]; // pixels
const MARGIN = 13; // pixels around a concept
const FULL = 0.5; // of the area that concepts may cover at most
const PUSHES = 60;

onmessage = ({ data: { nodes, edges, settings, rounds } }) => {
  let done = 0;
  while (done < rounds) {
    const began = performance.now();
    while (done < rounds && performance.now() - began < BATCH) {
      iterate(settings, nodes, edges);
      done += 1;
    }
    if (done === rounds) pushApart(nodes);
    const count = nodes.length / NODE;
    const at = new Float32Array(2 * count);
    for (let i = 0; i < count; i += 1) {
      at[2 * i] = nodes[NODE * i];
      at[2 * i + 1] = nodes[NODE * i + 1];
    }
    postMessage({ at, done, rounds }, [at.buffer]);
  }
};

/** Push nodes apart whose circles cover each other. nodes: the kernel's matrix, changed in place. */
function pushApart(nodes) {
  const [width, height] = [0, 1].map((axis) => extent(nodes, axis));
  const unit = Math.max(width / SCREEN[0], height / SCREEN[1], 1e-6);
  let covered = 0;
  for (let i = 0; i < nodes.length; i += NODE) covered += Math.PI * ((nodes[i + SIZE] + MARGIN) * unit) ** 2;
  const scale = unit * Math.min(1, Math.sqrt((FULL * width * height) / covered));
  const radius = (i) => (nodes[i + SIZE] + MARGIN) * scale;
  let largest = 0;
  for (let i = 0; i < nodes.length; i += NODE) largest = Math.max(largest, radius(i));
  for (let push = 0; push < PUSHES; push += 1) if (!pushed(nodes, radius, 2 * largest)) return;
}

/** One pass over all pairs of neighbouring cells; whether anything moved. */
function pushed(nodes, radius, cell) {
  const cells = new Map();
  const key = (x, y) => x * 73856093 + y * 19349663;
  const place = (i) => [Math.floor(nodes[i] / cell), Math.floor(nodes[i + 1] / cell)];
  for (let i = 0; i < nodes.length; i += NODE) {
    const at = key(...place(i));
    if (!cells.has(at)) cells.set(at, []);
    cells.get(at).push(i);
  }
  let moved = false;
  for (let i = 0; i < nodes.length; i += NODE) {
    const [x, y] = place(i);
    for (let step = 0; step < 9; step += 1) {
      for (const j of cells.get(key(x + (step % 3) - 1, y + Math.floor(step / 3) - 1)) ?? []) {
        if (j <= i) continue;
        const [dx, dy] = [nodes[j] - nodes[i] || 1e-3 * (j - i), nodes[j + 1] - nodes[i + 1] || 1e-3];
        const [apart, wanted] = [Math.hypot(dx, dy), radius(i) + radius(j)];
        if (apart >= wanted) continue;
        const share = (0.5 * (wanted - apart)) / apart;
        nodes[i] -= dx * share;
        nodes[i + 1] -= dy * share;
        nodes[j] += dx * share;
        nodes[j + 1] += dy * share;
        moved = true;
      }
    }
  }
  return moved;
}

function extent(nodes, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (let i = axis; i < nodes.length; i += NODE) {
    low = Math.min(low, nodes[i]);
    high = Math.max(high, nodes[i]);
  }
  return Math.max(high - low, 1e-6);
}
