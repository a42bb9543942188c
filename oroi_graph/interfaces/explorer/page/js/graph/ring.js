// Draws a concept as a disc with a rim, and a gap between them where it is consolidated. One point a concept: programs
// that draw an instance a concept take many times as long where WebGL runs in software.

import { floatColor, NodeProgram } from "/vendor/graph.js";

const VERTEX = /* glsl */ `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec4 a_rim;
attribute vec2 a_position;
attribute float a_size;
attribute float a_ring;
attribute float a_gap;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
uniform mat3 u_matrix;
varying vec4 v_color;
varying vec4 v_rim;
varying vec3 v_radii;

const float bias = 255.0 / 254.0;

void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  gl_PointSize = a_size / u_sizeRatio * u_pixelRatio * 2.0 + 2.0;
  v_radii = vec3(1.0 - a_ring, 1.0 - a_ring - a_gap, 3.0 / gl_PointSize);
  #ifdef PICKING_MODE
  v_color = a_id;
  v_rim = a_id;
  #else
  v_color = a_color;
  v_rim = a_rim;
  #endif
  v_color.a *= bias;
  v_rim.a *= bias;
}`;

const FRAGMENT = /* glsl */ `
precision mediump float;
varying vec4 v_color;
varying vec4 v_rim;
varying vec3 v_radii;
uniform vec4 u_paper;
uniform float u_coarse;

void main(void) {
  #ifndef PICKING_MODE
  if (u_coarse > 0.5) {
    vec2 at = 2.0 * gl_PointCoord - vec2(1.0);
    float square = dot(at, at);
    if (square > 1.0) discard;
    gl_FragColor = square > v_radii.x * v_radii.x ? v_rim : v_color;
    return;
  }
  #endif
  float far = 2.0 * length(gl_PointCoord - vec2(0.5));
  #ifdef PICKING_MODE
  if (far > 1.0) discard;
  gl_FragColor = v_color;
  #else
  float soft = v_radii.z;
  vec4 inside = mix(v_color, u_paper, smoothstep(v_radii.y - soft, v_radii.y, far) * step(v_radii.y + 0.001, v_radii.x));
  vec4 whole = mix(inside, v_rim, smoothstep(v_radii.x - soft, v_radii.x, far));
  gl_FragColor = whole * (1.0 - smoothstep(1.0 - soft, 1.0, far));
  #endif
}`;

const { FLOAT, POINTS, UNSIGNED_BYTE } = WebGL2RenderingContext;
const bytes = (name) => ({ name, size: 4, type: UNSIGNED_BYTE, normalized: true });
const floats = (name, size) => ({ name, size, type: FLOAT });

/** A sigma node program. paper(): the colour behind, as red, green and blue from 0 to 1. */
export function ringProgram(paper) {
  return class extends NodeProgram {
    getDefinition() {
      return {
        VERTICES: 1, VERTEX_SHADER_SOURCE: VERTEX, FRAGMENT_SHADER_SOURCE: FRAGMENT, METHOD: POINTS,
        UNIFORMS: ["u_sizeRatio", "u_pixelRatio", "u_matrix", "u_paper", "u_coarse"],
        ATTRIBUTES: [floats("a_position", 2), floats("a_size", 1), floats("a_ring", 1), floats("a_gap", 1), bytes("a_color"), bytes("a_rim"), bytes("a_id")],
      };
    }

    processVisibleItem(id, start, data) {
      const values = [data.x, data.y, data.size, data.ring ?? 0.1, data.gap ?? 0, floatColor(data.color), floatColor(data.rim), id];
      values.forEach((value, i) => { this.array[start + i] = value; });
    }

    render(params) {
      const { pickProgram } = this;
      if (this.renderer.coarse) this.pickProgram = null; // nothing is picked while the view moves
      super.render(params);
      this.pickProgram = pickProgram;
    }

    setUniforms({ sizeRatio, pixelRatio, matrix }, { gl, uniformLocations: at }) {
      gl.uniform1f(at.u_pixelRatio, pixelRatio);
      gl.uniform1f(at.u_sizeRatio, sizeRatio);
      gl.uniformMatrix3fv(at.u_matrix, false, matrix);
      gl.uniform4f(at.u_paper, ...paper(), 1);
      gl.uniform1f(at.u_coarse, this.renderer.coarse ? 1 : 0);
      if (this.renderer.coarse) gl.disable(gl.BLEND); // the renderer enables it before each drawing
    }
  };
}
