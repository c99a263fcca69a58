// What the loaded benches share: the receiver, the folder of source maps, and turns without and with them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';
import { inRounds, ratioLines, ratiosOf } from './rounds.mjs';
import { SUBSCRIPTIONS } from './subscriptions.mjs';

/** MB of source maps. */
const MAPS_MB = 200;

/** How much is measured; `values` are those of the command line. `only`: part of the names of the turns. */
export const sizesOf = ({ quick, processes, rounds, only = '' }) => ({
  processes: Number(processes ?? (quick ? 1 : 2)),
  rounds: Number(rounds ?? (quick ? 1 : 12)),
  only,
});

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
    /** Gives a core one of the loads of subscriptions.mjs, `null` for none, and sees that it has it. */
    const give = async (core, kind) => {
      const before = await receiver.ask({ act: 'count' });
      await core.ask({ act: 'load', kind });
      const { requests } = await receiver.ask({ act: 'count' });
      if (requests > before.requests !== (kind !== null))
        throw new Error(`the load is not ${kind ?? 'gone'}`);
    };
    return await work({
      receiver,
      give,
      /** A core without load. */
      core: (store, options = {}) =>
        startChild('loaded/core.mjs', [store, receiver.first.url, folder], {
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
 * Measures rounds of each kind of turn in `turns`, in `processes` servers one after another, because no two run equally fast.
 * `start` resolves with one that has a `core`. `say` gets a line for each figure. Returns the ratios by kind of turn.
 */
export async function compared({ give, processes, rounds, only, say, title }, start, all) {
  const turns = Object.fromEntries(Object.entries(all).filter(([name]) => name.includes(only)));
  const rows = Object.fromEntries(Object.keys(turns).map((name) => [name, []]));
  for (let process = 0; process < processes; process++) {
    const server = await start();
    const load = (loaded) => give(server.core, loaded ? 'ordinary' : null);
    try {
      for (const [name, turn] of Object.entries(turns)) {
        // The first turns warm it up.
        for (const loaded of [false, true]) {
          await load(loaded);
          await turn(server, true);
        }
        const measure = async (loaded) => {
          await load(loaded);
          return turn(server, false);
        };
        rows[name].push(...(await inRounds(rounds, measure)));
      }
    } finally {
      await server.stop();
    }
  }
  return Object.entries(rows).map(([name, found]) => {
    const ratios = ratiosOf(found);
    for (const line of ratioLines(`${title}${name}`, ratios)) say(line);
    return { name: `${title}${name}`, ratios };
  });
}
