// Replaces wrk if that is not installed. Slower, so the load generator may be the bottleneck.
// usage: node load.mjs PORT FILE CONNECTIONS SECONDS [PAUSE_MS]; load.lua describes them.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const [port, file, connections, seconds, pauseMs = '0'] = process.argv.slice(2);
const requests = readFileSync(file, 'latin1')
  .split('\0')
  .map((text) => Buffer.from(text, 'latin1'));
const ends = performance.now() + Number(seconds) * 1e3;
const waits = [];
let at = 0;
let refused = 0;
let broken = 0;

function run() {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay();
    let text = '';
    let began = 0;
    const send = () => {
      if (performance.now() >= ends) return socket.destroy();
      began = performance.now();
      socket.write(requests[at++ % requests.length]);
    };
    socket.setEncoding('latin1').on('connect', send);
    socket.on('data', (chunk) => {
      text += chunk;
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head === -1 || text.length < head + 4 + length) return;
      waits.push(performance.now() - began);
      if (!/^HTTP\/1\.1 2/.test(text)) refused++;
      text = '';
      // Exponential pauses, so that requests arrive nearly independently.
      const pause = -Number(pauseMs) * Math.log(1 - Math.random());
      if (pause > 0) setTimeout(send, pause);
      else send();
    });
    socket.on('error', () => broken++);
    socket.on('close', resolve);
  });
}

const started = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, run));
waits.sort((a, b) => a - b);
const micros = (share) => Math.round((waits[Math.floor(waits.length * share)] ?? 0) * 1e3);
const result = {
  requests: waits.length,
  micros: Math.round((performance.now() - started) * 1e3),
  ...{ p50_us: micros(0.5), p99_us: micros(0.99), max_us: Math.round((waits.at(-1) ?? 0) * 1e3) },
  ...{ refused, broken },
};
console.log(`RESULT ${JSON.stringify(result)}`);
