import { setTimeout as delay } from 'node:timers/promises';
import { Load } from '../lib/load.mjs';
import { random } from '../lib/random.mjs';
import { Servers } from './servers.mjs';
import { judgeRuns } from './verdict.mjs';

/**
 * Kills edge and core in turn at random moments under load, with `kill -9`; every fifth time the edge gets SIGTERM
 * instead. Everything that was acknowledged to a client must be staged at the end.
 */
export async function kills({ rounds, say }) {
  const servers = await Servers.make();
  const load = new Load({ clients: 8, perSecond: 200 });
  await servers.start('core');
  await servers.start('edge');
  load.start(servers);
  let terms = 0;
  for (let round = 1; round <= rounds; round += 1) {
    await delay(50 + random() * 400);
    const name = round % 2 === 1 ? 'edge' : 'core';
    const gently = round % 5 === 0;
    if (gently) terms += 1;
    await servers.stop(name, gently ? 'SIGTERM' : 'SIGKILL');
    await servers.start(name);
    if (round % 25 === 0)
      say(`  round ${round}: ${load.sent.size} sent, ${load.acknowledged.size} acknowledged`);
  }
  await load.stop();
  await servers.drained();
  const verdict = judgeRuns(await servers.runs(), load);
  await servers.stopAll();
  return {
    data: servers.data,
    rounds,
    kills: rounds - terms,
    terms,
    ...verdict,
    ok: verdict.ok && load.acknowledged.size > rounds,
  };
}
