// While the view of a large graph moves, it is drawn coarser: fewer pixels, thin lines for the strongest associations, no
// names, nothing to be picked.
// At rest, everything is drawn again as it is. What a frame costs is its pixels, most of all without a graphics card.

import { EdgeLineProgram, floatColor, Sigma } from "/vendor/graph.js";

const REST = 160; // milliseconds without a movement
const SHARE = 0.34; // of the pixels of each axis

/** The renderer of the scene. `many`: whether the graph is so large that it is drawn coarser while it moves. */
export class MovingSigma extends Sigma {
  constructor(graph, element, settings) {
    super(graph, element, settings);
    this.many = false;
    this.coarse = false;
    this.resting = 0;
    this.before = "";
    this.camera.on("updated", () => this.moved());
    // Whoever presses a button means what is there: it must be drawn, and be there to be picked.
    element.addEventListener("pointerdown", () => this.rest(), true);
  }

  /** The camera changed. It also does where nothing is seen of it; that is no movement. */
  moved() {
    const { x, y, ratio, angle } = this.camera.getState();
    const now = [x, y, ratio, angle].join(" ");
    if (!this.many || now === this.before) return;
    this.before = now;
    if (!this.coarse) this.become(true);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
  }

  /** Draw everything, if it is not. */
  rest() {
    clearTimeout(this.resting);
    if (!this.coarse) return;
    this.become(false);
    this.render();
  }

  become(coarse) {
    if (coarse) super.clear();
    this.coarse = coarse;
    this.getContainer().classList.toggle("moving", coarse);
  }

  resize(force) {
    super.resize(force);
    const share = this.pixelRatio * (this.coarse ? SHARE : 1);
    for (const name of ["nodes", "edges"]) {
      const canvas = this.elements[name];
      const [width, height] = [Math.max(1, Math.floor(this.width * share)), Math.max(1, Math.floor(this.height * share))];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    }
    return this;
  }

  getRenderParams() {
    const params = super.getRenderParams();
    return this.coarse ? { ...params, pixelRatio: params.pixelRatio * SHARE } : params;
  }

  clear() {
    if (!this.coarse) return super.clear();
    for (const name of ["nodes", "edges"]) {
      const gl = this.webGLContexts[name];
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
    return this;
  }

  resetWebGLTexture(layer) { return this.coarse ? this : super.resetWebGLTexture(layer); }

  getNodeAtPosition(position) { return this.coarse ? null : super.getNodeAtPosition(position); }

  renderLabels() { return this.coarse ? this : super.renderLabels(); }

  renderEdgeLabels() { return this.coarse ? this : super.renderEdgeLabels(); }

  renderHighlightedNodes() { return this.coarse ? this : super.renderHighlightedNodes(); }
}

const VERTEX = /* glsl */ `
attribute vec4 a_color;
attribute vec2 a_position;
uniform mat3 u_matrix;
varying vec4 v_color;

void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  v_color = a_color;
  v_color.a *= 255.0 / 254.0;
}`;

const FRAGMENT = /* glsl */ `
precision mediump float;
varying vec4 v_color;

void main(void) {
  gl_FragColor = v_color;
}`;

/** Lines of one pixel, whatever the weight, of the associations that are marked `firm`. */
class ThinLines extends EdgeLineProgram {
  getDefinition() {
    const { FLOAT, LINES, UNSIGNED_BYTE } = WebGL2RenderingContext;
    return {
      VERTICES: 2, VERTEX_SHADER_SOURCE: VERTEX, FRAGMENT_SHADER_SOURCE: FRAGMENT, METHOD: LINES, UNIFORMS: ["u_matrix"],
      ATTRIBUTES: [{ name: "a_position", size: 2, type: FLOAT }, { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true }],
    };
  }

  processVisibleItem(id, start, source, target, data) {
    if (!data.firm) {
      this.array.fill(0, start, start + this.STRIDE); // a line without length
      return;
    }
    const colour = floatColor(data.color);
    this.array.set([source.x, source.y, colour, target.x, target.y, colour], start);
  }

  setUniforms({ matrix }, { gl, uniformLocations }) {
    gl.disable(gl.BLEND);
    gl.uniformMatrix3fv(uniformLocations.u_matrix, false, matrix);
  }
}

/** Lines as wide as associations weigh; thin ones while the view moves. */
export class Lines extends EdgeLineProgram {
  constructor(gl, picking, renderer) {
    super(gl, picking, renderer);
    this.thin = new ThinLines(gl, null, renderer);
  }

  reallocate(capacity) {
    super.reallocate(capacity);
    this.thin.reallocate(capacity);
  }

  process(...item) {
    super.process(...item);
    this.thin.process(...item);
  }

  render(params) {
    if (this.renderer.coarse) this.thin.render(params);
    else super.render(params);
  }

  kill() {
    this.thin.kill();
    super.kill();
  }
}
