import { RawClient, requestBytes } from '../lib/raw-client.mjs';

/** Sends `count` crashes of one incident, each with its own id, over 32 connections. */
export async function sendOneCrash({ ports, serviceToken }, count, prefix) {
  const started = performance.now();
  let next = 0;
  let acknowledged = 0;
  const others = new Map();
  const headers = { 'content-type': 'application/json', 'x-service-token': serviceToken };
  const lane = async () => {
    const client = new RawClient(ports.edge);
    for (let index = next++; index < count; index = next++) {
      const crash = {
        event_id: `${prefix}-${index}`,
        platform: 'node',
        release: 'v2.4.0',
        exception: {
          values: [
            {
              type: 'TypeError',
              value: `storm in worker ${index}`,
              stacktrace: {
                frames: [{ filename: 'src/storm.js', function: 'blow', lineno: 8, in_app: true }],
              },
            },
          ],
        },
      };
      const status = await client.send(
        requestBytes('/api/v1/telemetry/ingest', headers, JSON.stringify(crash)),
      );
      if (status === 202) acknowledged += 1;
      else others.set(status, (others.get(status) ?? 0) + 1);
    }
    client.end();
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  const seconds = (performance.now() - started) / 1_000;
  return { acknowledged, others: Object.fromEntries(others), per_second: Math.round(count / seconds) };
}
