import t from 'tap';
import { eventSchema } from '../../src/domain/event.js';
import { type Run, summarise } from '../../src/domain/run.js';
import { eraseTyped } from '../../src/pipeline/erase-person.js';
import { eraseShown } from '../../src/store/erase/erase-shown.js';
import { makeEvent, makeFrame } from '../../src/testing/builders.js';
import { makeRun } from '../../src/testing/index.js';

const frames = [makeFrame({ line: 404, vars: { id: 404 } })];
const exceptions = makeEvent().exceptions.map((one) => ({ ...one, frames }));

t.test('a person whose id is a number: numbers of senders go, ours stay', async (t) => {
  const free = {
    user: { id: 404 },
    extra: { by: { 404: [404] }, note: 'as 404 said' },
    tags: { who: '404' },
  };
  const event = makeEvent({ exceptions, redactions: 404, message: 'no 404', ...free });
  const { value, places } = eraseTyped(event, '404', eventSchema);
  t.match(value.exceptions, [{ frames: [{ line: 404, vars: { id: '[erased]' } }] }]);
  t.match(value, {
    user: { id: '[erased]' },
    extra: { by: { '[erased]': ['[erased]'] }, note: 'as [erased] said' },
    tags: { who: '[erased]' },
    message: 'no [erased]',
    redactions: 404,
  });
  t.equal(places, 7);
});

t.test('a person with the name of a member, a code or a year: our own words stay', async (t) => {
  const event = makeEvent({ message: 'native', extra: { message: 'x' } });
  const { timestamp } = event;
  for (const person of ['message', 'native', 'error', '2026', 'frames']) {
    const { value } = eraseTyped(event, person, eventSchema);
    t.same(Object.keys(value), Object.keys(event), person);
    t.match(value, { door: 'native', level: 'error', timestamp });
  }
  t.match(eraseTyped(event, 'message', eventSchema).value.extra, { '[erased]': 'x' });
  t.match(eraseTyped(event, 'native', eventSchema).value.message, '[erased]');
});

t.test('what lists show keeps its numbers and codes', async (t) => {
  const seen = { first_seen: '2026-01-05T09:00:00.000Z', last_seen: '2026-01-05T09:00:00.000Z' };
  const source = { door: 'native', trust: 'trusted', occurrences: 404, event_id: null, ...seen } as const;
  const fix = { commit: 'a'.repeat(40), pull_request: { number: 404, url: 'https://a.example/x' } };
  const run: Run = makeRun('published', {
    place: { function: 'of 404', file: 'cart.js', line: 404 },
    sources: [source],
    fix: { ...fix, missing_in: ['404'], occurrences: 404 },
  });
  for (const person of ['404', 'native', 'trusted', 'occurrences', '2026']) {
    const { value } = eraseShown(summarise(run), person);
    t.match(value, { place: { line: 404 }, sources: [source], fix: { ...fix, occurrences: 404 } }, person);
  }
  t.match(eraseShown(summarise(run), '404').value, {
    place: { function: 'of [erased]' },
    fix: { missing_in: ['[erased]'] },
  });
});
