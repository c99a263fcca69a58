// staging.mjs STORE SECONDS: sends batches of deliveries through a whole engine. The last line is JSON.
import { storage } from '@culprit/connectors/storage';
import { createEngine } from '@culprit/core';
import { fingerprintEvent } from '@culprit/core/internal/pipeline/fingerprint/fingerprints-of';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { createDeliveries } from './deliveries.mjs';
import { openPlace, quiet } from './places.mjs';

const [store, text] = process.argv.slice(2);
const seconds = Number(text);
/** As sent by the forwarder. */
const BATCH = 200;
const EDGES = 2;
const place = await openPlace(store);
const engine = await createEngine({
  connectors: [storage({ url: place.url, auditKey: 'an audit key of thirty-two chars' })],
  policy: { quotas: null },
  logger: quiet,
});

const { next: delivery, runs } = createDeliveries();
let accepted = 0;
const cpu = process.cpuUsage();
const busy = performance.eventLoopUtilization();
const started = performance.now();
/** Start of the second half, when the compiler has finished optimising. */
let half = null;
const now = () => ({ accepted, at: performance.now(), cpu: process.cpuUsage() });
async function edge(name) {
  for (let sequence = 1; performance.now() - started < seconds * 1_000; sequence += BATCH) {
    const deliveries = Array.from({ length: BATCH }, (_, n) => delivery(sequence + n));
    const { outcomes } = await engine.ingestBatch({ edge: name, deliveries });
    accepted += outcomes.filter(({ outcome }) => outcome === 'accepted').length;
    if (half === null && performance.now() - started > (seconds * 1_000) / 2) half = now();
  }
}
await Promise.all(Array.from({ length: EDGES }, (_, n) => edge(`edge-${n}`)));
const took = (performance.now() - started) / 1_000;
const second = {
  events: accepted - half.accepted,
  seconds: (performance.now() - half.at) / 1_000,
  cpu: process.cpuUsage(half.cpu),
};
const { user, system } = process.cpuUsage(cpu);
const { utilization } = performance.eventLoopUtilization(busy);

const sample = Array.from({ length: 500 }, (_, n) => delivery(n + 1));
const from = performance.now();
for (const one of sample) fingerprintEvent(normalise(one));
const reading = ((performance.now() - from) * 1_000) / sample.length;
await engine.close();
place.close();
const perS = Math.round(accepted / took);
const share = Math.round((reading * perS) / 10_000);
console.log(
  JSON.stringify({
    per_s: perS,
    second_half_per_s: Math.round(second.events / second.seconds),
    second_half_cpu_us: Math.round((second.cpu.user + second.cpu.system) / second.events),
    seconds: Math.round(took),
    events: accepted,
    runs: runs(),
    cpu_cores: Number(((user + system) / 1e6 / took).toFixed(2)),
    event_loop: Number(utilization.toFixed(2)),
    reading_us: Math.round(reading),
    bound: `the main thread is busy ${Math.round(utilization * 100)}% of the time, ${share}% with normalising and fingerprinting`,
  }),
);
