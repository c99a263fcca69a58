import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import type { JsonObject } from '../../src/domain/json.js';
import { checkShape } from '../../src/pipeline/crash-object/check-shape.js';
import { crashObject } from '../../src/pipeline/crash-object/crash-object.js';
import { isPlainlyValid } from '../../src/pipeline/crash-object/plainly-valid.js';
import { fixtureCrashes } from './deliveries.js';

t.test('what is plainly valid is valid by the schema', async (t) => {
  const crashes = fixtureCrashes().map(({ crash }) => crash as JsonObject);
  const plain = crashes.filter(isPlainlyValid);
  t.ok(plain.length > crashes.length / 3, `${plain.length} of ${crashes.length} payloads are plain`);
  const frame = fc.record({ lineno: fc.jsonValue(), vars: fc.jsonValue() }, { requiredKeys: [] });
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({ frames: fc.array(fc.oneof(frame, fc.jsonValue())) }),
    fc.record({
      values: fc.array(fc.oneof(fc.record({ stacktrace: fc.record({ frames: fc.array(frame) }) }))),
    }),
    fc.record({ values: fc.array(fc.record({ value: fc.jsonValue(), mechanism: fc.jsonValue() })) }),
  );
  let kept = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...crashes),
      fc.constantFrom(...Object.keys(crashObject.entries)),
      odd,
      (crash, name, value) => {
        const changed = { ...crash, [name]: value } as JsonObject;
        const plainly = isPlainlyValid(changed);
        kept += plainly ? 1 : 0;
        return !plainly || v.safeParse(crashObject, changed).success;
      },
    ),
    { numRuns: 3_000 },
  );
  t.ok(kept > 100, `${kept} of 3,000 changed ones were plain`);
});

t.test('depth and width, at the bound and beyond', async (t) => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
  t.doesNotThrow(() => checkShape(nested(64)));
  t.throws(() => checkShape(nested(65)), { code: 'malformed', message: /deeper than 64/ });
  t.doesNotThrow(() => checkShape({ list: Array(10_000).fill(0) }));
  t.throws(() => checkShape({ list: Array(10_001).fill(0) }), { code: 'malformed', path: 'list' });
  const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, index]));
  t.throws(() => checkShape({ extra: wide }), { code: 'malformed', message: /10000 members/ });
});
