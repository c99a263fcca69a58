// Receives Culprit's webhooks: verifies each signature, and handles each message once.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const MAX_BYTES = 1024 * 1024;
const webhook = new Webhook(process.env.WEBHOOK_SECRET);
// A receiver that restarts, or that has copies, keeps the ids in its database for two days.
const handled = new Set();

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function handle({ type, data }) {
  console.log(`${type} ${data.run_id ?? data.webhook_id}`);
}

const server = createServer(async (request, response) => {
  let event;
  try {
    // Over the text as it was sent, before it is parsed.
    event = webhook.verify(await bodyOf(request), request.headers);
  } catch {
    response.writeHead(400).end();
    return;
  }
  // Culprit waits 15 seconds for this, and repeats the message if the answer is lost.
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (handled.has(id)) return;
  handled.add(id);
  handle(event);
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log('listening'));
process.once('SIGTERM', () => server.close());
