// Faults of the edge. At the end of each part, by id: acknowledged ⊆ staged ⊆ sent, none counted twice.
// usage: npm run faults -- edge [--rounds N] [--count N] [--only kills,power,away,storm,attacks] [--quick] [--json]
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { attacks } from './edge/attacks.mjs';
import { away, storm } from './edge/away.mjs';
import { kills } from './edge/kills.mjs';
import { power } from './edge/power.mjs';

const PARTS = ['kills', 'power', 'away', 'storm', 'attacks'];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    count: { type: 'string', default: '100000' },
    only: { type: 'string' },
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const rounds = Number(values.rounds);
const count = Number(values.count);
const wanted = values.only?.split(',') ?? PARTS;
const unknown = wanted.find((name) => !PARTS.includes(name));
if (unknown !== undefined) {
  console.error(`Unknown part "${unknown}". Parts: ${PARTS.join(', ')}.`);
  process.exit(2);
}
const say = values.json ? () => {} : (line) => console.log(line);

const acts = {
  kills: () => kills({ rounds, say }),
  power: async () => {
    const honest = await power({ cuts: Math.max(3, Math.ceil(rounds / 10)), say });
    // The control: losses on a disk that ignores fsync must be detected, or the run above proves nothing.
    const lying = await power({ cuts: 2, say, lie: true });
    const { lost: lost_by_a_lying_disk } = lying;
    rmSync(lying.data, { recursive: true, force: true });
    return {
      ...honest,
      lost_by_a_lying_disk,
      ok: honest.ok && honest.acknowledged > 0 && lost_by_a_lying_disk > 0,
    };
  },
  away: () => away({ count, say }),
  storm: () => storm({ count, say }),
  attacks: () => attacks({ say, sockets: Math.min(10_000, count), quick: values.quick === true }),
};

const results = {};
for (const name of PARTS.filter((part) => wanted.includes(part))) {
  say(name);
  const started = performance.now();
  const { data, ...result } = await acts[name]();
  results[name] = { ...result, seconds: Math.round((performance.now() - started) / 1_000) };
  if (result.ok) rmSync(data, { recursive: true, force: true });
  else console.error(`  failed; kept for inspection: ${data}`);
  const { rows: _, ...figures } = results[name];
  for (const [key, value] of Object.entries(figures)) say(`  ${key.padEnd(32)} ${JSON.stringify(value)}`);
}
const ok = Object.values(results).every((result) => result.ok);
if (values.json) console.log(JSON.stringify({ area: 'edge', ok, ...results }));
process.exit(ok ? 0 : 1);
