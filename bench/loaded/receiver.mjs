// Receives webhooks in a process of its own. Counts requests, and deliveries by webhook and message id.
import { createServer } from 'node:http';
import { answering } from './child.mjs';

let requests = 0;
const distinct = new Set();
const server = createServer((request, response) => {
  requests += 1;
  distinct.add(`${request.url} ${request.headers['webhook-id']}`);
  request.resume();
  request.on('end', () => response.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
answering(
  { url: `http://127.0.0.1:${server.address().port}` },
  {
    count: () => ({ requests, distinct: distinct.size }),
    /** Waits until nothing has come for a while. */
    async quiet() {
      for (let before = -1; before !== requests; ) {
        before = requests;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      }
      return { requests, distinct: distinct.size };
    },
  },
);
