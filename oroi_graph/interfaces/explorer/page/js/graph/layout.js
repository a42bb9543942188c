// Where concepts are. A place, once found, is kept: turning back the time moves nothing.

const NODE = 10;
const EDGE = 3;

const addresses = globalThis.trustedTypes?.createPolicy("oroi", { createScriptURL: (address) => address }) ?? { createScriptURL: (address) => address };

/** A number from 0 to 1 that a text always gives (FNV-1a). */
export function chance(text, salt = 0) {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** Where a concept begins: beside a neighbour that has a place, else anywhere in a circle. */
export function beginning(id, neighbours, places, radius) {
  const near = neighbours.map((one) => places.get(one)).filter(Boolean);
  const angle = 2 * Math.PI * chance(id);
  const far = radius * (near.length ? 0.08 : Math.sqrt(chance(id, 7)));
  const [x, y] = near.length ? near.reduce((sum, one) => [sum[0] + one.x / near.length, sum[1] + one.y / near.length], [0, 0]) : [0, 0];
  return { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) };
}

/** Let the worker place a graph; `moved(ids, at, done)` is called again and again. Gives a function that stops it. */
export function arrange(graph, moved) {
  const ids = graph.nodes();
  const { nodes, edges } = matrices(graph, ids);
  const worker = new Worker(addresses.createScriptURL("/js/graph/layout-worker.js"), { type: "module" });
  worker.onmessage = ({ data }) => {
    const ended = data.done === data.rounds;
    if (ended) worker.terminate();
    moved(ids, data.at, ended);
  };
  const many = ids.length > 600;
  worker.postMessage({
    nodes, edges, rounds: many ? 260 : 500,
    settings: {
      linLogMode: false, outboundAttractionDistribution: true, adjustSizes: false, edgeWeightInfluence: 0.3,
      scalingRatio: 14, strongGravityMode: false, gravity: many ? 1 : 2.2, slowDown: many ? 3 : 6,
      barnesHutOptimize: many, barnesHutTheta: 0.9,
    },
  }, [nodes.buffer, edges.buffer]);
  return () => worker.terminate();
}

function matrices(graph, ids) {
  const place = new Map(ids.map((id, i) => [id, i * NODE]));
  const nodes = new Float32Array(ids.length * NODE);
  const edges = new Float32Array(graph.size * EDGE);
  ids.forEach((id, i) => {
    const { x, y, size } = graph.getNodeAttributes(id);
    nodes.set([x, y, 0, 0, 0, 0, 1, 1, size, 0], i * NODE);
  });
  let at = 0;
  graph.forEachEdge((edge, { weight }, source, target) => {
    const ends = [place.get(source), place.get(target)];
    edges.set([...ends, weight], at);
    for (const end of ends) nodes[end + 6] += weight;
    at += EDGE;
  });
  return { nodes, edges };
}
