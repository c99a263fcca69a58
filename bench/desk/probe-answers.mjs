import { completionOf } from './desk.mjs';

const NOTHING_TO_SAY = { content: '{"insufficient": true, "claims": []}' };
const ANSWERS = new Map([
  ['There is no evidence. Answer {"insufficient": true, "claims": []}.', NOTHING_TO_SAY],
  ['Say hello.', NOTHING_TO_SAY],
  ['Count from 1 to 300.', { content: '1, 2, 3, 4, 5, 6', cut: true }],
]);
/** Of the made-up crash of the probe (connectors/src/shared/model/probe-investigating.ts). */
const MADE_UP = 'src/price.py:11 in total: currency = order["currency"]';
const sha = 'f3a91c07d2b4';
const FINDING = {
  commits: [sha],
  mechanism: 'A default was removed.',
  place: { path: 'src/price.py', line: 11 },
  quote: 'currency = order["currency"]',
  probability: 0.9,
  none_probability: 0.05,
};
const STEPS = [
  { name: 'search_history', arguments: { text: 'currency' } },
  { name: 'show_commit', arguments: { sha } },
  { name: 'finding', arguments: FINDING },
];

/** What a good model answers to the probe of a model, so that nobody sits at the desk for it. `null`: it is no probe. */
export function probeAnswer(body) {
  const { messages } = body;
  const answer = ANSWERS.get(messages.at(-1).content);
  const used = { input: 100, output: 10 };
  if (answer !== undefined) return completionOf(body, answer, 1, used);
  if (!String(messages[1]?.content).includes(MADE_UP)) return null;
  const step = STEPS[messages.filter(({ role }) => role === 'tool').length];
  return completionOf(body, { calls: [step] }, messages.length, used);
}
