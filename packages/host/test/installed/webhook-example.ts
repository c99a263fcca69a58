import type { Test } from 'tap';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { coreBench } from '../support/core-bench.js';
import { start } from './sandbox.js';

/** What core sends is verified and handled; what another program sends is refused. */
export async function receivesWebhooks(t: Test, folder: string, node: string): Promise<void> {
  const port = String(await reservePort());
  const url = `http://127.0.0.1:${port}/`;
  const bench = await coreBench({ webhooks: { allowedHosts: ['127.0.0.1'] } });
  try {
    const body = { name: 'ops', url, events: ['run.created', 'run.commented'] };
    const made = await bench.api({ method: 'POST', path: '/api/v1/webhooks', body });
    t.equal(made.status, 201);
    const env = { PORT: port, WEBHOOK_SECRET: String(made.json.secret) };
    const receiver = await start(folder, node, ['main.mjs'], env, /listening\n/);
    try {
      const run = await bench.stage();
      await receiver.printed(new RegExp(`run\\.created ${run}\n`));
      const headers = {
        'webhook-id': 'forged',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,x',
      };
      const forged = { method: 'POST', headers, body: '{"type":"forged","data":{}}' };
      t.equal((await fetch(url, forged)).status, 400);
      await bench.engine.comment(run, { name: 'ada', via: 'api' }, { comment: 'seen' });
      await receiver.printed(new RegExp(`run\\.commented ${run}\n`));
      t.notMatch(receiver.output(), 'forged');
    } finally {
      t.equal(await receiver.stop(), 0, 'stops on SIGTERM');
    }
  } finally {
    await bench.close();
  }
}
