// Opens many WebSockets, counts messages, and reads the timestamp in the messages of every fiftieth one.
import { connect } from 'node:net';

// usage: clients.mjs PORT COUNT [PATH TOKEN]
const [port, count] = process.argv.slice(2, 4).map(Number);
const [path = '/', token] = process.argv.slice(4);
const SAMPLE = 50;
const AT_ONCE = 100;
let bytes = 0;
let messages = 0;
let delays = [];
let sampled = 0;
const sockets = [];
/** A pong with an empty body, masked with zeros: core closes a reader that never answers a ping. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

for (let first = 0; first < count; first += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => open(first + at)));
}
await new Promise((resolve) => setTimeout(resolve, 1_000));
process.on('message', (what) => {
  if (what.stop === true) process.exit(0);
  for (const socket of sockets) socket.write(PONG);
  if (what === 'start') {
    bytes = 0;
    messages = 0;
    delays = [];
    return process.send({ started: true });
  }
  delays.sort((a, b) => a - b);
  const at = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? null;
  process.send({
    bytes,
    sampledMessages: messages,
    sampled,
    p50: at(0.5),
    p99: at(0.99),
    most: delays.at(-1) ?? null,
  });
});
process.send({ open: count });

function open(index) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const sample = index % SAMPLE === 0;
    if (sample) sampled++;
    let up = false;
    socket.setNoDelay(true);
    socket.once('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (!up) {
        if (!chunk.toString('latin1').startsWith('HTTP/1.1 101')) return reject(new Error(chunk.toString()));
        up = true;
        sockets.push(socket);
        resolve();
        return;
      }
      bytes += chunk.length;
      if (!sample) return;
      const now = performance.timeOrigin + performance.now();
      for (const [, at] of chunk.toString('latin1').matchAll(/at=(\d+\.\d+)/g)) {
        messages++;
        delays.push(now - Number(at));
      }
    });
  });
}
