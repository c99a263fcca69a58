import * as v from 'valibot';
import { jsonObjectSchema } from './json.js';
import { answerSchema, QUESTION_NAMES } from './question.js';
import { about, count, type Doc, named, text } from './schema.js';
import { investigatorSchema, MECHANISM_CODES, suspectSchema } from './suspect.js';

/** Commits of a finding. */
export const MAX_FOUND = 5;
/** Characters of a quoted line. */
export const MAX_QUOTE = 300;
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const foundSha = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{7,64}$/, 'must be a commit: 7 to 64 hexadecimal digits'),
);

export const findingSchema = named(
  'Finding',
  'What an investigator concludes: data that core checks, and no prose.',
  v.strictObject({
    commits: about(
      v.pipe(v.array(foundSha), v.minLength(1), v.maxLength(MAX_FOUND)),
      'The commits that most likely caused the crash, best first.',
    ),
    mechanism: about(
      v.union([v.picklist(MECHANISM_CODES), v.pipe(v.string(), v.minLength(1), v.maxLength(200))]),
      `What the first commit did: ${MECHANISM_CODES.join(', ')}, or one sentence of at most 200 characters.`,
    ),
    place: about(
      v.strictObject({
        path: v.pipe(v.string(), v.maxLength(500)),
        line: v.pipe(v.number(), v.integer(), v.minValue(1)),
      }),
      'Where the wrong value or state is made, at the crashed revision.',
    ),
    quote: about(
      v.pipe(v.string(), v.minLength(3), v.maxLength(MAX_QUOTE)),
      'One line that the first commit added or removed, copied exactly, without the + or -.',
    ),
    probability: about(share, 'How likely the first commit is the cause, 0 to 1.'),
    none_probability: about(share, 'How likely no commit of this repository is to blame, 0 to 1.'),
  }),
);
/** What an investigator concludes. */
export interface Finding extends Doc<typeof findingSchema> {}

/** What core checks of a finding. */
export const FINDING_CHECKS = {
  commits_exist: 'Each commit exists, and the crashed revision contains it',
  quote_in_diff: 'The quoted line is in the diff of the first commit',
  place_exists: 'The place exists at the crashed revision',
} as const;
export type FindingCheck = keyof typeof FINDING_CHECKS;
const checkSchema = v.object({
  code: v.picklist(Object.keys(FINDING_CHECKS) as FindingCheck[]),
  ok: v.boolean(),
  detail: about(text, 'What is wrong; null: nothing.'),
});
export interface CheckedFinding extends Doc<typeof checkSchema> {}

/** Why an investigation ended without changing the draft. */
export const NO_EFFECT = {
  check_failed: 'The finding failed a check.',
  no_commit: 'The investigator holds that no commit of this repository is to blame.',
  no_finding: 'The investigator named no commit.',
  questions: 'The limit of questions was reached.',
  tokens: 'The limit of tokens was reached: another call could use more than is left.',
  seconds: 'The time limit was reached.',
  cost: 'The limit of cost was reached: another call could cost more than is left.',
  daily_cost: 'The limit of cost for today was reached: another call could cost more than is left.',
  model_failed: 'The model did not answer.',
  stopped: 'A reviewer stopped it.',
  interrupted: 'Core ended too often meanwhile, or no model investigates any more.',
  edited: 'A reviewer has edited the draft, so the finding is only offered.',
  unsure: 'The investigator is too unsure, so the finding is only offered.',
  left: 'The run left Gate 2 meanwhile.',
  preferred: 'A reviewer prefers the suspects of the ranking.',
} as const;
export type NoEffect = keyof typeof NO_EFFECT;

/** Who investigates. */
export interface InvestigatedBy extends Doc<typeof investigatorSchema> {}

export const askedSchema = v.object({
  number: v.number(),
  question: v.picklist(
    QUESTION_NAMES as [(typeof QUESTION_NAMES)[number], ...(typeof QUESTION_NAMES)[number][]],
  ),
  input: jsonObjectSchema,
  ...answerSchema.entries,
  at: about(v.string(), 'ISO 8601.'),
  ms: v.number(),
});
/** A question with its answer. */
export interface Asked extends Doc<typeof askedSchema> {}

const { sha, title, probability, verdict } = suspectSchema.entries;
export const investigationSchema = named(
  'Investigation',
  'The latest investigation of the run in this cycle.',
  v.object({
    state: about(
      v.picklist(['running', 'used', 'offered', 'ended']),
      '`used`: the suspects and the draft follow its finding. `offered`: they could. `ended`: without effect; `reason` says why.',
    ),
    by: investigatorSchema,
    started_at: about(v.string(), 'ISO 8601.'),
    ended_at: text,
    questions: about(v.number(), 'Number of questions.'),
    tokens: about(v.number(), 'Of all calls to the model; 0 for an agent.'),
    cost: about(count, 'In the currency of the price; null: no price is set.'),
    finding: v.nullable(findingSchema),
    checks: about(v.array(checkSchema), 'Empty without a finding.'),
    probability: about(
      count,
      'That the first commit is the cause, from the fit. Null: no finding that passes its checks.',
    ),
    measured: about(
      v.boolean(),
      'False: the probability was not measured with this investigator, so it is shrunk.',
    ),
    reason: about(
      v.nullable(v.picklist(Object.keys(NO_EFFECT) as NoEffect[])),
      'Why it had no effect; null: it has, or is running.',
    ),
    detail: about(text, 'More about the reason.'),
    ranking: about(
      v.array(v.object({ sha, title, probability, verdict })),
      'The suspects by the ranking alone, in its order; empty until a finding is used.',
    ),
  }),
);
/** The latest investigation of a run. */
export interface Investigation extends Doc<typeof investigationSchema> {}

export const investigationTrailSchema = named(
  'InvestigationTrail',
  'An investigation with every question and answer.',
  v.object({
    investigation: v.nullable(investigationSchema),
    asked: v.array(askedSchema),
    answers: about(
      v.boolean(),
      'False: the credential lacks the scope `investigate`, so every `text` is empty.',
    ),
  }),
);
/** An investigation with its questions and answers, oldest first. */
export interface InvestigationTrail extends Doc<typeof investigationTrailSchema> {}

/** A finding that passed its checks, as an analysis uses it. */
export interface Investigated {
  readonly by: InvestigatedBy;
  readonly finding: Finding;
  readonly checks: readonly CheckedFinding[];
  readonly probability: number;
  readonly measured: boolean;
  readonly questions: number;
  /** Of the investigator’s prompts; `null`: it has none of ours. */
  readonly prompt: string | null;
  readonly asked: readonly Asked[];
}
