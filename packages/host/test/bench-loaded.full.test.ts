import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';

t.setTimeout(600_000);

const home = fileURLToPath(new URL('../../..', import.meta.url));

/** What a bench prints with `--json` in its last line. */
async function bench(...args: readonly string[]) {
  const child = spawn(process.execPath, ['scripts/bench.mjs', ...args, '--loaded', '--quick', '--json'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (texts.out += chunk));
  child.stderr.on('data', (chunk) => (texts.err += chunk));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(texts.err);
  return JSON.parse(texts.out.trim().split('\n').at(-1) ?? 'null');
}

// Their figures are not judged here, so they may disturb each other.
t.jobs = 3;
const FIGURES = { edge: 'CPU µs per request', store: 'CPU µs per event', feed: 'CPU µs per message' };

for (const [area, cpu] of Object.entries(FIGURES)) {
  t.test(
    `bench -- ${area} --loaded compares a server without and with webhooks and source maps`,
    { buffered: true },
    async (t) => {
      const { loaded } = await bench(area, ...(area === 'store' ? ['--stores', 'file'] : []));
      t.ok(loaded.length > 0);
      for (const { name, ratios } of loaded) {
        for (const { figure, ratio } of ratios)
          t.ok(Number.isFinite(ratio) && ratio > 0, `${name}, ${figure}: ${ratio}`);
        t.ok(
          ratios.some(({ figure }: { figure: string }) => figure === 'p99 ms' || figure.includes('p50 ms')),
          name,
        );
      }
      t.match(loaded[0].ratios[0].figure, cpu);
    },
  );
}
