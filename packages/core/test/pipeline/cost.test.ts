import t from 'tap';
import { crashOf, type WorstBody } from '../../../../bench/lib/worst-bodies.mjs';
import { sanitiseJson, sanitiseText } from '../../src/pipeline/sanitise/index.js';
import { fixtureCrashes } from '../support/deliveries.js';
import { countSteps } from '../support/steps.js';
import { ordinaryCrash, stepsOfCharacter, worstCrash } from '../support/worst-cost.js';

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
const MOST = 20;

t.test('bodies that were expensive cost at most 20 times an ordinary one', async (t) => {
  const ordinary = stepsOfCharacter(ordinaryCrash(SIZE));
  for (const body of KNOWN) {
    const times = stepsOfCharacter(crashOf(body, SIZE)) / ordinary;
    t.ok(times <= MOST, `${JSON.stringify(body.genes[0]?.parts)}: ${times.toFixed(1)} times`);
  }
});

t.test('property: the worst body of a short search costs at most 20 times an ordinary one', async (t) => {
  const { body, times } = worstCrash({ seed: 20_260_105, rounds: 12, size: 32_768 });
  t.ok(times <= MOST, `${times.toFixed(1)} times: ${JSON.stringify(body)}`);
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
    for (const value of [text, { message: text }, { extra: { body: text, again: text } }])
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
