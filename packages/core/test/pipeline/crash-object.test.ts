import fc from 'fast-check';
import t from 'tap';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import {
  checkCrashObject,
  compileCheck,
  misfitOf,
} from '../../src/pipeline/crash-object/check-crash-object.js';
import { CRASH, type ValueShape } from '../../src/pipeline/crash-object/crash-shape.js';
import { fitShape } from '../../src/pipeline/crash-object/fit-shape.js';
import { crashObjectSchema } from '../../src/pipeline/crash-object/json-schema.js';
import { fixtureCrashes } from '../support/deliveries.js';

const strictly = (crash: JsonValue) => checkCrashObject(crash, { strict: true });

t.test('property: the compiled check and the search for the invalid member agree', async (t) => {
  const crashes = fixtureCrashes().map(({ crash }) => crash as JsonObject);
  const isValid = compileCheck(CRASH);
  const frame = fc.record({ lineno: fc.jsonValue(), vars: fc.jsonValue() }, { requiredKeys: [] });
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({ frames: fc.array(fc.oneof(frame, fc.jsonValue())) }),
    fc.record({
      values: fc.array(fc.oneof(fc.record({ stacktrace: fc.record({ frames: fc.array(frame) }) }))),
    }),
    fc.record({ values: fc.array(fc.record({ value: fc.jsonValue(), mechanism: fc.jsonValue() })) }),
  );
  let valid = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...crashes),
      fc.constantFrom(...Object.keys(CRASH.members ?? {})),
      odd,
      (crash, name, value) => {
        const changed = { ...crash, [name]: value } as JsonObject;
        const accepted = isValid(changed);
        valid += accepted ? 1 : 0;
        return accepted === (misfitOf(changed, CRASH) === null);
      },
    ),
    { numRuns: 3_000 },
  );
  t.ok(valid > 100 && valid < 2_900, `${valid} of 3,000 changed crashes were valid`);
});

t.test('every form in the table is accepted, and an error names the path and both kinds', async (t) => {
  const accepted: readonly JsonObject[] = [
    { message: { formatted: 'x', params: [1] } },
    { logentry: { message: 'x', params: { a: 1 } } },
    { exception: { values: [{ type: 'E', value: { a: 1 } }, null] } },
    { exception: [{ type: 'E', value: ['a'] }] },
    { exception: { type: 'E', value: 'x' } },
    { message: 'x', release: { version: '1' }, dist: 7, timestamp: 1_790_000_000 },
    { message: 'x', tags: [['a', 1], null], breadcrumbs: [{ message: 'b' }], fingerprint: ['a', 1, null] },
    { message: 'x', user: [], contexts: [], extra: [], request: [], modules: [], sdk: [] },
    { stack_trace: { frames: [{ file: 'a.js', line: 1, vars: [] }] }, unknown: [{}] },
  ];
  for (const crash of accepted) t.doesNotThrow(() => strictly(crash), JSON.stringify(crash));
  const frames = (frame: JsonObject) => ({ exception: { values: [{ stacktrace: { frames: [frame] } }] } });
  const refused: readonly [JsonObject, string, RegExp][] = [
    [{ message: 7 }, 'message', /must be a string or an object, not a number/],
    [{ message: 'x', event_id: 'a b' }, 'event_id', /must be 1 to 128 of the characters/],
    [
      frames({ lineno: 1.5 }),
      'exception.values[0].stacktrace.frames[0].lineno',
      /a whole number, not a fraction/,
    ],
    [
      frames({ lineno: '1' }),
      'exception.values[0].stacktrace.frames[0].lineno',
      /a whole number, not a string/,
    ],
    [{ exception: [5] }, 'exception[0]', /must be an object, not a number/],
    [{ message: 'x', tags: { a: [] } }, 'tags.a', /not a list/],
    [{ message: 'x', tags: [['a']] }, 'tags[0][1]', /is missing/],
    [{ message: 'x', extra: 'y' }, 'extra', /must be an object, not a string/],
  ];
  for (const [crash, path, message] of refused)
    t.throws(() => strictly(crash), { code: 'malformed', path, message });
});

/** The path of every member that a schema names. */
function namesIn(schema: JsonObject): readonly string[] {
  const forms = (schema.anyOf as JsonObject[] | undefined) ?? [schema];
  return forms.flatMap(({ properties, items }) => [
    ...Object.entries((properties ?? {}) as Record<string, JsonObject>).flatMap(([name, of]) => [
      name,
      ...namesIn(of).map((inner) => `${name}.${inner}`),
    ]),
    ...(items === undefined ? [] : namesIn(items as JsonObject).map((inner) => `[].${inner}`)),
  ]);
}

function namesOf(shape: ValueShape): readonly string[] {
  return [shape, ...(shape.also ?? [])].flatMap(({ members, items }) => [
    ...Object.entries(members ?? {}).flatMap(([name, of]) => [
      name,
      ...namesOf(of).map((inner) => `${name}.${inner}`),
    ]),
    ...(items === undefined ? [] : namesOf(items).map((inner) => `[].${inner}`)),
  ]);
}

t.test('the JSON Schema has the members of the table', async (t) => {
  t.same(namesIn(crashObjectSchema), namesOf(CRASH));
  const { properties } = crashObjectSchema as { properties: Record<string, JsonObject> };
  t.same(properties.event_id, { type: ['string', 'null'], pattern: '^[A-Za-z0-9._:-]{1,128}$' });
  t.same(properties.stack, { type: ['string', 'null'] });
});

t.test('depth and width, at the limit and above it', async (t) => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
  const same = (value: JsonValue) => fitShape(value).value === value;
  t.ok(same(nested(64)));
  t.match(fitShape(nested(65)).notes, [/^a\.a\..* was removed: it is nested deeper than 64 levels$/]);
  t.equal(
    JSON.stringify(fitShape(nested(65)).value),
    JSON.stringify(nested(64)).replace('{}', '{"a":"[cut: object]"}'),
  );
  t.ok(same({ list: Array(10_000).fill(0) }));
  const list = Array.from({ length: 10_002 }, (_, index) => index);
  t.same(fitShape({ list }).value, { list: list.slice(2) }, 'the newest frame is the last');
  const wide = Object.fromEntries(list.map((index) => [`k${index}`, index]));
  t.same(
    Object.keys((fitShape({ extra: wide }).value as { extra: object }).extra),
    Object.keys(wide).slice(0, 10_000),
  );
  const many = fitShape(Array.from({ length: 100 }, () => nested(65)));
  t.match([many.notes.length, many.cut], [20, { depth: 100, width: 0 }], 'the notes are bounded');
});
