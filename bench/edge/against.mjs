import { join } from 'node:path';
import { end, generate, next, serve, serveFrom } from './drive.mjs';

const DOORS = ['webhook', 'unlike', 'native', 'sdk'];

/**
 * Processor time for each request at each door, here and in another tree: one server of each, loaded for a second in turn, each
 * first in every other pair. Other work on the machine slows both alike.
 */
export async function compareWith(tree, { files, pairs, say }) {
  const rows = [];
  for (const door of DOORS) {
    const servers = [await serveFrom(join(tree, 'bench/edge/server.mjs'), 'culprit'), await serve('culprit')];
    const load = (index, duration) =>
      generate(servers[index].port, files[door], { connections: 64, duration });
    for (const index of [0, 1]) await load(index, 2);
    const found = [];
    for (let pair = 0; pair < pairs; pair++) {
      const turns = [];
      for (const index of pair % 2 === 0 ? [0, 1] : [1, 0]) {
        const { child } = servers[index];
        child.send({ type: 'begin' });
        await next(child, 'begun');
        const { requests, micros } = await load(index, 1);
        child.send({ type: 'end' });
        const { cpu_us } = await next(child, 'ended');
        turns[index] = { cpu: cpu_us / requests, rate: requests / (micros / 1e6) };
      }
      found.push(turns);
    }
    for (const server of servers) await end(server);
    const row = { door, ...summary(found) };
    say(
      `${door.padEnd(8)} ${row.there_cpu_us} µs there, ${row.here_cpu_us} here: ${row.cpu} times (10th percentiles ${row.cpu_p10}); requests ${row.rate} times`,
    );
    rows.push(row);
  }
  return rows;
}

function summary(pairs) {
  const of = (list, share) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)];
  const round = (value, digits = 2) => Number(value.toFixed(digits));
  const [there, here] = [0, 1].map((index) => pairs.map((turns) => turns[index].cpu));
  return {
    there_cpu_us: round(of(there, 0.5), 1),
    here_cpu_us: round(of(here, 0.5), 1),
    cpu: round(
      of(
        pairs.map(([one, other]) => other.cpu / one.cpu),
        0.5,
      ),
    ),
    cpu_p10: round(of(here, 0.1) / of(there, 0.1)),
    rate: round(
      of(
        pairs.map(([one, other]) => other.rate / one.rate),
        0.5,
      ),
    ),
  };
}
