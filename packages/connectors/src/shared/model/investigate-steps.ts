import { type Finding, findingSchema } from '@culprit/core/internal/domain/investigation';
import type { QuestionName } from '@culprit/core/internal/domain/question';
import type { Desk } from '@culprit/core/internal/ports/investigator';
import * as v from 'valibot';
import { type DeskModel, giveUp } from './desk-model.js';
import { refusal } from './investigate-loop.js';
import * as text from './prompt/investigate-v1.js';
import { bytes, fenced, fenceWord } from './prompt/render-prompt.js';
import { argumentsOf, jsonSchemaOf } from './tools.js';

const MAX = { lookedFor: 4, ofRanking: 4, ofOneAnswer: 2, candidates: 8 } as const;
/** Shares of a prompt's bytes for the crash and the ranking; the rest is for diffs. */
const SHARE = { crash: 0.3, ranking: 0.15 } as const;
/** By how many of the two orders prefer the chosen commit. */
const AGREEMENT = [0.4, 0.7, 1] as const;

const hypothesisSchema = v.object({
  wrong: v.pipe(v.string(), v.maxLength(400)),
  look_for: v.pipe(
    v.array(
      v.object({
        kind: v.picklist(['text', 'path']),
        value: v.pipe(v.string(), v.minLength(2), v.maxLength(200)),
      }),
    ),
    v.maxLength(MAX.lookedFor),
  ),
});
const pairSchema = v.object({ cause: v.picklist(['first', 'second']) });

interface Candidate {
  readonly sha: string;
  readonly diff: string;
}

/**
 * Fixed steps for models that are not up to a conversation: a hypothesis with what to look for, a choice among the commits that code found,
 * and a check of the best two in both orders, whose disagreement lowers the stated probability. `null`: no commit was found.
 */
export async function investigateInSteps(
  desk: Desk,
  model: DeskModel,
  promptBytes: number,
): Promise<Finding | null> {
  const crash = clipped(desk.crash, promptBytes * SHARE.crash);
  const ranking = clipped(desk.ranking, promptBytes * SHARE.ranking);
  const known = [['crash', crash] as const, ['ranking', ranking] as const];
  const { look_for } = await answered(model, text.HYPOTHESIS, known, hypothesisSchema);
  const shas = commitsIn(desk.ranking).slice(0, MAX.ofRanking);
  for (const { kind, value } of look_for) {
    const found = await asked(desk, 'search_history', kind === 'text' ? { text: value } : { path: value });
    shas.push(...commitsIn(found).slice(0, MAX.ofOneAnswer));
  }
  const candidates: Candidate[] = [];
  for (const sha of distinct(shas).slice(0, MAX.candidates)) {
    const diff = await asked(desk, 'show_commit', { sha });
    if (diff !== '') candidates.push({ sha, diff });
  }
  if (candidates.length === 0) return null;
  // Another run on the same crash reads them in the other order.
  if (desk.round % 2 === 1) candidates.reverse();
  const left = promptBytes - bytes(text.CHOICE) - bytes(crash);
  const pieces = (shown: readonly Candidate[]) =>
    shown.map(({ sha, diff }) => [`commit ${sha}`, clipped(diff, left / shown.length)] as const);
  const finding = await answered(
    model,
    text.CHOICE,
    [['crash', crash], ...pieces(candidates)],
    findingSchema,
  );
  const [best, second] = finding.commits.map((sha) => candidates.find((one) => isSame(one.sha, sha)));
  if (best === undefined || second === undefined || best === second) return finding;
  const compare = async (first: Candidate, other: Candidate) =>
    (await answered(model, text.PAIR, [['crash', crash], ...pieces([first, other])], pairSchema)).cause;
  let agreeing = 0;
  if ((await compare(best, second)) === 'first') agreeing += 1;
  if ((await compare(second, best)) === 'second') agreeing += 1;
  return { ...finding, probability: finding.probability * (AGREEMENT[agreeing] ?? 1) };
}

/** What the model answers, in the shape of the schema. An answer of another shape is refused once, with the reason. */
async function answered<Schema extends v.GenericSchema>(
  model: DeskModel,
  system: string,
  pieces: readonly (readonly [title: string, content: string])[],
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const word = fenceWord(pieces);
  const shown = pieces.map(([title, content]) => fenced(word, title, content));
  let problem: string | null = null;
  for (const _ of ['first', 'second']) {
    const user = [...shown, ...(problem === null ? [] : [problem]), text.ANSWER].join('\n\n');
    const { content, cut } = await model.chat({ system, user, schema: jsonSchemaOf(schema) });
    const parsed = v.safeParse(schema, argumentsOf(content));
    if (parsed.success) return parsed.output;
    problem = cut ? text.CUT : refusal(parsed.issues);
  }
  throw giveUp('its answer does not match the requested schema');
}

/** The answer's text; empty if there is none. What was asked before is not asked again. */
async function asked(
  desk: Desk,
  name: QuestionName,
  input: Readonly<Record<string, string>>,
): Promise<string> {
  const same = desk
    .asked()
    .find(
      (one) =>
        one.question === name && Object.entries(input).every(([key, value]) => one.input[key] === value),
    );
  if (same !== undefined) return same.text;
  if (desk.left() <= 0 || !desk.questions.includes(name)) return '';
  return (await desk.ask({ name, input })).text;
}

/** The commits that a text names, in its order. */
function commitsIn(answer: string): string[] {
  return distinct(answer.match(/\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b/g) ?? []);
}

const isSame = (a: string, b: string) => a.startsWith(b.toLowerCase()) || b.toLowerCase().startsWith(a);

function distinct(shas: readonly string[]): string[] {
  return shas.filter((sha, index) => shas.findIndex((one) => isSame(one, sha)) === index);
}

/** At most this many bytes, from the beginning. */
function clipped(whole: string, most: number): string {
  return Buffer.from(whole)
    .subarray(0, Math.max(0, Math.floor(most)))
    .toString('utf8');
}
