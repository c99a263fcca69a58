import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { createEngine } from '../src/index.js';
import { memoryStorageConnector } from '../src/testing/index.js';

t.test(
  'what a connector writes follows a server that moved something, and goes to no other server',
  async (t) => {
    const received: string[] = [];
    const start = async (name: string, location: () => string | null) => {
      const server = createServer((request, response) => {
        request.resume().on('end', () => {
          received.push(`${name} ${request.method} ${request.url}`);
          const to = location();
          if (to === null || request.url === '/new') response.end('done');
          else response.writeHead(307, { location: to }).end();
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.teardown(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const stranger = await start('stranger', () => null);
    const own = await start('own', () => '/new');
    const moved = await start('moved', () => `${stranger}/new`);
    const round = await start('round', () => '/again');

    const answers: number[] = [];
    const engine = await createEngine({
      connectors: [
        memoryStorageConnector(),
        {
          id: 'writer',
          async setup({ fetch }) {
            for (const server of [own, moved, round]) {
              const response = await fetch(`${server}/old`, { method: 'POST', body: 'the draft' });
              await response.text();
              answers.push(response.status);
            }
            return {};
          },
        },
      ],
    });
    await engine.close();
    t.same(answers, [200, 307, 307]);
    t.same(
      received.filter((line) => !line.startsWith('round')),
      ['own POST /old', 'own POST /new', 'moved POST /old'],
    );
    t.equal(received.filter((line) => line.startsWith('round')).length, 4, 'not without end');
  },
);
