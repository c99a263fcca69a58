import t from 'tap';
import { crashOf, PLACES, type WorstBody } from '../../../../bench/lib/worst-bodies.mjs';
import type { JsonObject } from '../../src/index.js';
import { fingerprintEvent } from '../../src/pipeline/fingerprint/fingerprints-of.js';
import { boundEvent, MIN_EVENT_BYTES } from '../../src/pipeline/normalise/bound-event.js';
import { parseStack } from '../../src/pipeline/parse-stack/parse-stack.js';
import { sanitiseJson, sanitiseText } from '../../src/pipeline/sanitise/index.js';
import { fixtureCrashes } from '../support/deliveries.js';
import { countSteps } from '../support/steps.js';
import { eventOf, ordinaryCrash, stepsOfCharacter, worstCrash } from '../support/worst-cost.js';

const repeated = (place: string, pieces: readonly string[], end = ''): WorstBody => ({
  place,
  genes: [{ parts: pieces.map((piece) => ({ piece, times: 1 })), varied: false }],
  end,
});

/** Bodies that cost more than a hundred times as much as an ordinary one before there was a budget. */
const KNOWN: readonly WorstBody[] = [
  repeated('message', ['cookie:']),
  repeated('message', ['cookie:'], '[redacted:x]'),
  repeated('extra', ['token="']),
  repeated('extra', ['pwd=\\"']),
  repeated('extra', ['pin=']),
  repeated('extra', ['xsrf:']),
  repeated('message', ['basic aaaaaa ']),
  repeated('message', ['://:a@b ']),
  repeated('message', ['411 ']),
  repeated('stack', ['AKIA'], '-----BEGIN PRIVATE KEY'),
  repeated('stack', ['=>']),
  repeated('names', ['"ccnumber":', '"pin":']),
];
const SIZE = 262_144;
/** No body may cost more times as much as an ordinary one of its size. */
const MAX = 20;

t.test('bodies that were expensive cost at most 20 times an ordinary one', async (t) => {
  const ordinary = stepsOfCharacter(ordinaryCrash(SIZE));
  for (const body of KNOWN) {
    const times = stepsOfCharacter(crashOf(body, SIZE)) / ordinary;
    t.ok(times <= MAX, `${JSON.stringify(body.genes[0]?.parts)}: ${times.toFixed(1)} times`);
  }
});

t.test('a few characters stand for a bounded number of frames, parts and texts', async (t) => {
  const framesOf = (crash: JsonObject) =>
    eventOf(crash).exceptions.reduce((sum, { frames }) => sum + frames.length, 0);
  const java = `${'at a.b(Unknown Source)\n'.repeat(250)}${'Caused by: a\n... 999 more\n'.repeat(120)}`;
  t.ok(framesOf({ message: 'm', stack: `Error: x\n${java}` }) <= 750, 'restored frames');
  const frames = new Array(250).fill({ function: 'f' });
  const chain: JsonObject = { exception: { values: new Array(50).fill({ stacktrace: { frames } }) } };
  t.equal(framesOf(chain), 1_000, 'frames of a chain');
  const parts = (fingerprint: readonly string[]) =>
    fingerprintEvent(eventOf({ ...chain, platform: 'java', fingerprint: [...fingerprint] })).parts.length;
  t.equal(parts(new Array(64).fill('{{ default }}')), 2 * parts(['{{ default }}']), 'default parts');
  const message = eventOf({
    logentry: { message: '{0}'.repeat(2_000), params: ['x'.repeat(1_024)] },
  }).message;
  t.ok((message ?? '').length <= 8_192);
});

t.test('an event is cut to its size without being written again and again', async (t) => {
  const frame = { function: 'f', vars: { a: 'x' }, context_line: 'y' };
  const values = new Array(50).fill({ value: 'v', stacktrace: { frames: new Array(250).fill(frame) } });
  const event = eventOf({ exception: { values }, extra: { text: 'x'.repeat(200_000) } });
  const { stringify } = JSON;
  let written = 0;
  JSON.stringify = ((value: unknown) => {
    const text = stringify(value);
    written += text?.length ?? 0;
    return text;
  }) as typeof stringify;
  try {
    boundEvent(event, MIN_EVENT_BYTES);
  } finally {
    JSON.stringify = stringify;
  }
  const times = written / stringify(event).length;
  t.ok(times < 6, `${times.toFixed(1)} times`);
});

t.test('parsers and fingerprints read no line again and again', async (t) => {
  const readOf = (text: string) => countSteps(() => parseStack(text)) / text.length;
  for (const pair of ['Stack trace:\n#0 \n', 'Exception in thread "\nat a.b(Unknown Source)\n']) {
    const read = readOf(pair.repeat(4_000));
    t.ok(read < 25, `${JSON.stringify(pair)}: ${read.toFixed(1)} times`);
  }
  const values = Array.from({ length: 50 }, (_, id) => ({
    ...{ type: 'E', value: '1-'.repeat(500) },
    mechanism: { exception_id: id, ...(id === 0 ? { is_exception_group: true } : { parent_id: 0 }) },
  }));
  const event = eventOf({ exception: { values } });
  const steps = countSteps(() => fingerprintEvent(event));
  t.ok(steps < 120_000, `a group: ${steps} characters`);
});

t.test('property: the worst body of a short search costs at most 20 times an ordinary one', async (t) => {
  for (const [stage, places] of Object.entries(PLACES)) {
    const { body, times } = worstCrash({ seed: 20_260_105, rounds: 6, size: 16_384, places });
    t.comment(`${stage}: ${times.toFixed(1)} times`);
    t.ok(times <= MAX, `${times.toFixed(1)} times: ${JSON.stringify(body)}`);
  }
});

t.test('twice the text is at most twice the work', async (t) => {
  for (const piece of ['cookie:', 'token="', 'pwd=\\"', 'cookie:a=b ', 'xsrf:', 'pin=', "a'a@a.a.", '--a ']) {
    const steps = (chars: number) =>
      countSteps(() => sanitiseText(piece.repeat(Math.ceil(chars / piece.length))));
    const ratio = steps(400_000) / steps(200_000);
    t.ok(ratio < 2.2, `${piece}: ${ratio.toFixed(2)}`);
  }
});

t.test('an ordinary event in a text is read whole', async (t) => {
  for (const crash of fixtureCrashes()) {
    const text = JSON.stringify(crash);
    const nested = `POST failed: ${JSON.stringify({ body: text })}`;
    for (const value of [text, { message: text }, { extra: { body: text, again: text } }, nested])
      t.notMatch(JSON.stringify(sanitiseJson(value).value), /redacted:unchecked/);
  }
});

t.test('what the budget does not reach is redacted and says so', async (t) => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const { value, redactions } = sanitiseText(`${'pin=aa xsrf:bb '.repeat(60_000)}${secret}`);
  t.ok(redactions > 0);
  t.match(value, /\[redacted:unchecked\]$/);
  t.notMatch(value, secret);
  t.same(sanitiseText('user=ada token=abc123def456'), {
    value: 'user=ada token=[redacted:token]',
    redactions: 1,
  });
});
