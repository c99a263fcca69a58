import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CulpritError, type ProjectConfig } from '@culprit/core';
import type { Explanation } from '@culprit/core/connector';
import type { RecordedCall } from '@culprit/core/internal/domain/evidence';
import * as v from 'valibot';
import { acceptedIn } from './accepted.js';
import { throughDoor } from './captured.js';
import { readItems, receiptIn } from './read-items.js';
import type { DeliveryCase, ReplayItem } from './replay-case.js';

/** Of this folder: a scenario may come from anybody. */
const fileName = v.pipe(v.string(), v.regex(/^\w[\w.-]*$/, 'must be the name of a file in this folder'));

/** `scenario.json`. Its files are in the same folder; see bench/scenarios/README.md. */
const scenarioSchema = v.strictObject({
  format: v.literal('culprit.scenario/1'),
  /** One sentence for a reader. */
  title: v.pipe(v.string(), v.nonEmpty()),
  platform: v.string(),
  /** Origin and licence of the crash. */
  source: v.string(),
  /** ISO 8601: the time of receipt and of everything after it. */
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** In the order of receipt. */
  deliveries: v.pipe(
    v.array(v.strictObject({ file: fileName, door: v.optional(v.picklist(['webhook', 'native', 'sdk'])) })),
    v.nonEmpty(),
  ),
  /** `owner/name` in drafts; absent: no code host. */
  repository: v.optional(v.string()),
  mappings: v.optional(v.array(v.strictObject({ stack_root: v.string(), source_root: v.string() }))),
  labels: v.optional(v.array(v.string())),
  commitLabels: v.optional(v.boolean()),
});
export type Scenario = v.InferOutput<typeof scenarioSchema>;

export const SCENARIO_FILES = {
  scenario: 'scenario.json',
  /** The code host's recorded responses. */
  answers: 'code-host.json',
  /** The repository that gave them; `--update` creates it again. */
  recipe: 'history.json',
  /** The model's answer; absent: no model. */
  model: 'model-answer.json',
  expected: 'expected.json',
} as const;

export function isScenario(folder: string): boolean {
  return existsSync(join(folder, SCENARIO_FILES.scenario));
}

export function readScenario(folder: string): Scenario {
  const file = join(folder, SCENARIO_FILES.scenario);
  const parsed = v.safeParse(scenarioSchema, readJson(file));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new CulpritError('malformed', `${file}: ${v.getDotPath(issue) ?? ''} ${issue.message}`);
}

export function scenarioCase(folder: string): DeliveryCase {
  const scenario = readScenario(folder);
  const at = Date.parse(scenario.at);
  const expected = join(folder, SCENARIO_FILES.expected);
  const answers = join(folder, SCENARIO_FILES.answers);
  const model = join(folder, SCENARIO_FILES.model);
  return {
    kind: 'deliveries',
    name: basename(folder),
    items: scenario.deliveries.flatMap((delivery) => scenarioItems(folder, delivery, at)),
    at,
    project: projectOf(scenario),
    answers: existsSync(answers) ? (readJson(answers) as RecordedCall[]) : null,
    explanation: existsSync(model) ? (readJson(model) as Explanation) : null,
    accepted: acceptedIn(expected),
    acceptedFile: expected,
    folder,
  };
}

function scenarioItems(
  folder: string,
  { file, door }: Scenario['deliveries'][number],
  at: number,
): readonly ReplayItem[] {
  const bytes = readFileSync(join(folder, file));
  const receivedAt = receiptIn(bytes.toString('utf8'), at);
  if (door !== undefined) {
    const json = file.endsWith('.json');
    const request = throughDoor(door, bytes, { 'content-type': json ? 'application/json' : 'text/plain' });
    const path = door === 'sdk' && json ? '/api/1/store/' : request.path;
    return [{ request: { ...request, path }, receivedAt }];
  }
  return readItems(bytes, file).items.map((item) => ('request' in item ? { ...item, receivedAt } : item));
}

function projectOf({ repository, mappings, labels, commitLabels }: Scenario): ProjectConfig {
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(mappings === undefined ? {} : { mappings }),
    ...(labels === undefined ? {} : { labels }),
    ...(commitLabels === undefined ? {} : { commitLabels }),
  };
}

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new CulpritError('malformed', `${file} ${problem}.`);
  }
}
