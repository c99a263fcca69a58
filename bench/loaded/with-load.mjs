// What the loaded benches share: the receiver, the folder of source maps, and pairs of cores.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';
import { inPairs, ratioLines, ratiosOf } from './pairs.mjs';
import { SUBSCRIPTIONS } from './subscriptions.mjs';

/** MB of source maps. */
const MAPS_MB = 200;

/** Calls `work` with what makes a load, and removes it. `quick`: only a few maps. */
export async function withLoad({ quick, say }, work) {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-bench-maps-'));
  const receiver = await startChild('loaded/receiver.mjs', []);
  try {
    const script = fileURLToPath(new URL('maps.mjs', import.meta.url));
    const made = spawnSync(process.execPath, [script, folder, String(quick ? 1 : MAPS_MB)], {
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(made.stderr);
    const { uploads, bytes } = JSON.parse(made.stdout.trim().split('\n').at(-1));
    const mb = Math.round(bytes / 1024 / 1024);
    say(
      `load: ${SUBSCRIPTIONS.toLocaleString('en')} webhooks, ${mb} MB of source maps in ${uploads} uploads`,
    );
    return await work({
      receiver,
      /** A core; `load` is one of subscriptions.mjs, `null` for none. */
      core: (store, load, options = {}) =>
        startChild('loaded/core.mjs', [store, ...(load === null ? [] : [load, receiver.first.url, folder])], {
          execArgv: ['--expose-gc'],
          ...options,
        }),
    });
  } finally {
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts `start(loaded)` for both sides `processes` times, because two processes never run equally fast, and measures pairs of each
 * kind of turn in `turns`. `say` gets a line for each figure. Returns the ratios by kind of turn.
 */
export async function compared({ processes, pairs, say, title }, start, turns) {
  const rows = Object.fromEntries(Object.keys(turns).map((name) => [name, []]));
  for (let process = 0; process < processes; process++) {
    const order = process % 2 === 0 ? [false, true] : [true, false];
    const sides = [];
    for (const loaded of order) sides[Number(loaded)] = await start(loaded);
    try {
      for (const [name, turn] of Object.entries(turns)) {
        // The first turn of each process warms it up.
        for (const side of sides) await turn(side, true);
        rows[name].push(...(await inPairs(sides, pairs, (side) => turn(side, false))));
      }
    } finally {
      for (const side of sides) await side.stop();
    }
  }
  return Object.entries(rows).map(([name, found]) => {
    const ratios = ratiosOf(found);
    for (const line of ratioLines(`${title}${name}`, ratios)) say(line);
    return { name: `${title}${name}`, ratios };
  });
}
