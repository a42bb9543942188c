// Places concepts by ForceAtlas2 (Jacomy et al., 2014) away from the page's own thread. Takes the two matrices of the
// kernel, ten numbers a node and three an edge; sends positions [x, y, …] after every batch.

import { iterate } from "/vendor/layout.js";

const NODE = 10;
const BATCH = 30; // milliseconds between two looks

onmessage = ({ data: { nodes, edges, settings, rounds } }) => {
  let done = 0;
  while (done < rounds) {
    const began = performance.now();
    while (done < rounds && performance.now() - began < BATCH) {
      iterate(settings, nodes, edges);
      done += 1;
    }
    const count = nodes.length / NODE;
    const at = new Float32Array(2 * count);
    for (let i = 0; i < count; i += 1) {
      at[2 * i] = nodes[NODE * i];
      at[2 * i + 1] = nodes[NODE * i + 1];
    }
    postMessage({ at, done, rounds }, [at.buffer]);
  }
};
