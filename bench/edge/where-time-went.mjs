/** The categories of functions and files; the first match counts. */
const PLACES = [
  // The profiler's own calls are not the server's work.
  [
    'idle',
    ({ functionName, url }) => functionName === '(idle)' || (functionName === 'dispatch' && url === ''),
  ],
  ['garbage collection', ({ functionName }) => functionName === '(garbage collector)'],
  [
    'parse',
    ({ functionName, url }) =>
      functionName === 'parse' ||
      /json-body|connectors\/dist\/sentry/.test(url) ||
      /decode/.test(functionName),
  ],
  [
    'hash',
    ({ functionName, url }) =>
      /^(?:Hash|Hmac|hash|update|digest|createHmac|createHash|timingSafeEqual|crc32)$/.test(functionName) ||
      /tracker\/verify|node:internal\/crypto|pipeline\/hash/.test(url),
  ],
  ['sanitise and check', ({ url }) => /pipeline\/(?:sanitise|plain|crash-object|normalise)/.test(url)],
  ['serialise', ({ functionName }) => functionName === 'stringify'],
  [
    'disk',
    ({ functionName, url }) =>
      /edge\/spool|node:internal\/fs|node:fs/.test(url) ||
      /^(?:writeBuffer|fdatasync|write|open|close)$/.test(functionName),
  ],
  ['http', ({ url }) => /host\/dist\/http/.test(url)],
  ['guards and doors', ({ url }) => /host\/dist\/edge/.test(url)],
];

/** Shares of self time by category, largest first, and the most expensive functions. Excludes idle time. */
export function whereTimeWent({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const places = new Map();
  const functions = new Map();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const place = placeOf(id, byId, parentOf);
    if (place === 'idle') continue;
    const micros = timeDeltas[index];
    total += micros;
    places.set(place, (places.get(place) ?? 0) + micros);
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    const name = `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + micros);
  }
  const shares = (map, most) =>
    [...map]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, micros]) => ({ name, share: Math.round((micros / total) * 1_000) / 1_000 }));
  return { places: shares(places, 20), functions: shares(functions, 30) };
}

/** A native function belongs to its caller, unless it is listed by name. */
function placeOf(id, byId, parentOf) {
  for (let at = id; at !== undefined; at = parentOf.get(at)) {
    const frame = byId.get(at).callFrame;
    const found = PLACES.find(([, fits]) => fits(frame));
    if (found !== undefined) return found[0];
  }
  return 'node and native';
}
