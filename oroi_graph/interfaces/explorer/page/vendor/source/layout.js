// The layout's kernel, which the explorer's worker runs.
export { default as iterate } from "graphology-layout-forceatlas2/iterate.js";
