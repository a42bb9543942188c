// What the explorer's scene is drawn with: see README.md beside the built file.
export { MultiDirectedGraph } from "graphology";
export { default as Sigma } from "sigma";
export { EdgeArrowProgram, EdgeLineProgram, NodeProgram } from "sigma/rendering";
export { floatColor } from "sigma/utils";
