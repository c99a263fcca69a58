// Grouping: how many pairs of crashes each version of the fingerprint joins or splits wrongly.
// usage: npm run bench -- grouping [--json] [--show]
// --show: prints the first wrong pair of each kind
import { readFileSync } from 'node:fs';
import { joinFamily } from '@culprit/core/internal/domain/group';
import { fingerprintsOf } from '@culprit/core/internal/pipeline/fingerprint/fingerprints-of';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { groupingPairs } from './lib/grouping-pairs.mjs';
import { fixtureEvents } from './lib/ingest-events.mjs';
import { deliveryOf } from './lib/receive.mjs';

const fixtures = new URL('../packages/core/test/fixtures/', import.meta.url);
const say = process.argv.includes('--json') ? () => {} : (line) => console.log(line);
const read = (crash) => {
  const event = normalise(deliveryOf(crash));
  return { event, ...fingerprintsOf(event) };
};

/** Whether both crashes are one incident, in each version. */
function joins([one, other]) {
  const [a, b] = [read(one), read(other)];
  return {
    v1: a.aliases[0] === b.aliases[0],
    v2: meets(a, b) && meets(b, a),
    either: meets(a, b) || meets(b, a),
  };
}

/** Whether the second crash is counted on the first one's run. */
function meets(one, other) {
  if (one.family?.name !== other.family?.name) return false;
  const { groups } = joinFamily([], one);
  return joinFamily(groups, other).crash.fingerprint.hash === one.fingerprint.hash;
}

const crashes = JSON.parse(readFileSync(new URL('public-crashes.json', fixtures), 'utf8'));
const rows = new Map();
for (const { kind, same, pair } of groupingPairs(crashes)) {
  const row = rows.get(kind) ?? { kind, same, pairs: 0, v1: 0, v2: 0 };
  rows.set(kind, row);
  const { v1, v2, either } = joins(pair);
  row.pairs += 1;
  row.v1 += v1 === same ? 0 : 1;
  const wrong = same ? !v2 : either;
  row.v2 += wrong ? 1 : 0;
  if (wrong && row.v2 === 1 && process.argv.includes('--show')) {
    say(`${kind}: ${pair.map((crash) => read(crash).fingerprint.parts.join(' | ')).join('\n   ')}`);
  }
}

/** All pairs of different public crashes: none is one incident, except one crash in two browsers. */
function publicPairs(list, kind) {
  const one = list.map(({ name, crash }) => ({ name, ...read(crash) }));
  const row = { kind, same: false, pairs: 0, v1: 0, v2: 0 };
  for (const [at, a] of one.entries())
    for (const b of one.slice(at + 1)) {
      if (a.name.includes('xbrowser') && b.name.includes('xbrowser')) continue;
      row.pairs += 1;
      row.v1 += a.aliases[0] === b.aliases[0] ? 1 : 0;
      if (!meets(a, b) && !meets(b, a)) continue;
      row.v2 += 1;
      if (process.argv.includes('--show')) say(`${kind}: ${a.name} = ${b.name}`);
    }
  return row;
}
const envelopes = fixtureEvents(new URL('ingest/', fixtures));
const result = [...rows.values(), publicPairs(envelopes, `${envelopes.length} public envelopes and events`)];
for (const { kind, same, pairs, v1, v2 } of result)
  say(
    `${same ? 'same cause ' : 'other cause'}  ${kind}: of ${pairs} pairs wrong in version 1 ${v1}, in version 2 ${v2}`,
  );
for (const same of [true, false]) {
  const sum = (name) => result.filter((row) => row.same === same).reduce((all, row) => all + row[name], 0);
  say(
    `${same ? 'wrong splits' : 'wrong joins '}  of ${sum('pairs')} pairs in version 1 ${sum('v1')}, in version 2 ${sum('v2')}`,
  );
}
if (process.argv.includes('--json')) console.log(JSON.stringify(result));
