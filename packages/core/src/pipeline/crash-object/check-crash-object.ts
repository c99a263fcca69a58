import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';
import { asList, asObject, asText, asValues } from '../normalise/read.js';
import { isTimestamp } from '../normalise/time.js';
import { checkShape, jsonPath, SHAPE_LIMITS, type Shape } from './check-shape.js';
import { crashObject } from './crash-object.js';
import { isFastValid } from './fast-validate.js';

/**
 * Throws `malformed` with the JSON path of the first wrong field. Lenient (SDK door): an object of sane depth and
 * width. Strict (native and webhook doors): also every named field by {@link crashObject}, a timestamp that can be
 * read, and at least one of `message`, `exception`, `stack` and `stack_trace` (or Sentry's `logentry`). Gives its shape.
 */
export function checkCrashObject(
  crash: JsonValue,
  options: { readonly strict: boolean; readonly shape?: Shape },
): Shape {
  if (typeof crash !== 'object' || crash === null || Array.isArray(crash)) {
    throw new CulpritError('malformed', 'The crash must be one JSON object.', { path: '' });
  }
  const shape = checkShape(crash, options.shape ?? SHAPE_LIMITS);
  if (!options.strict) return shape;
  if (!isFastValid(crash as JsonObject)) checkSchema(crash as JsonObject);
  checkTimestamp(crash as JsonObject);
  checkSubstance(crash as JsonObject);
  return shape;
}

function checkSchema(crash: JsonObject): void {
  const parsed = v.safeParse(crashObject, withoutBulk(crash));
  if (parsed.success) return;
  const { keys, issue } = deepest(parsed.issues[0]);
  const path = jsonPath(keys);
  throw new CulpritError('malformed', `${path} ${expected(issue)}; correct it and send again.`, { path });
}

/** Members that may be anything inside, and may be large. */
const ANYTHING = ['extra', 'contexts', 'modules', 'user', 'request'] as const;

/** The crash without what needs no second look: the schema's general way costs microseconds for each member. */
function withoutBulk(crash: JsonObject): JsonObject {
  const light: Record<string, JsonValue | undefined> = { ...crash };
  for (const name of ANYTHING) if (asObject(crash[name]) !== null) light[name] = {};
  if (areScalarPairs(crash.tags) || areScalars(crash.tags)) light.tags = {};
  return light;
}

const isScalar = (value: JsonValue | undefined) =>
  value === null || (typeof value !== 'object' && value !== undefined);

function areScalarPairs(tags: JsonValue | undefined): boolean {
  if (!Array.isArray(tags)) return false;
  return tags.every((pair: JsonValue) => {
    return (
      pair === null || (Array.isArray(pair) && pair.length === 2 && isScalar(pair[0]) && isScalar(pair[1]))
    );
  });
}

function areScalars(tags: JsonValue | undefined): boolean {
  const object = asObject(tags ?? null);
  return object !== null && Object.values(object).every(isScalar);
}

/** Says kinds, never values: what was sent may be secret. */
function expected(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'integer') return 'must be a whole number';
  if (issue.type === 'regex') return 'has characters or a length that are not allowed';
  const input = issue.input;
  const kind = input === null ? 'null' : Array.isArray(input) ? 'a list' : typeof input;
  return `must be ${issue.expected ?? 'valid'}, not ${kind === 'undefined' ? 'missing' : kind}`;
}

/** Of a union's failures the one that got furthest names the field that the sender meant. */
function deepest(issue: v.BaseIssue<unknown>): { keys: (string | number)[]; issue: v.BaseIssue<unknown> } {
  const own = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  let best: ReturnType<typeof deepest> | null = null;
  for (const inner of issue.issues ?? []) {
    const found = deepest(inner);
    if (found.keys.length > (best?.keys.length ?? 0)) best = found;
  }
  return best === null ? { keys: own, issue } : { keys: [...own, ...best.keys], issue: best.issue };
}

function checkTimestamp(crash: JsonObject): void {
  const { timestamp } = crash;
  if (timestamp === undefined || timestamp === null || isTimestamp(timestamp)) return;
  throw new CulpritError(
    'malformed',
    'timestamp must be an ISO 8601 date and time or seconds since 1970; correct it and send again.',
    { path: 'timestamp' },
  );
}

function checkSubstance(crash: JsonObject): void {
  const { message, logentry, exception, threads, stack, stack_trace, stacktrace } = crash;
  if ([message, stack, stack_trace, logentry].some((value) => asText(value) !== null)) return;
  if (asObject(message) !== null || asObject(logentry) !== null) return;
  if (asValues(exception).length > 0 || asValues(threads).length > 0) return;
  if ([stack_trace, stacktrace].some((value) => asList(asObject(value)?.frames).length > 0)) return;
  throw new CulpritError('malformed', 'One of message, exception, stack or stack_trace is needed; add it.', {
    path: 'message',
  });
}
