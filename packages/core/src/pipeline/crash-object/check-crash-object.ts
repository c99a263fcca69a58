import type { JsonObject, JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';
import { asList, asObject, asText, asValues } from '../normalise/read.js';
import { isTimestamp } from '../normalise/time.js';
import { compileCheck, misfitOf } from './check-value.js';
import { CRASH } from './crash-shape.js';
import { jsonPath } from './fit-shape.js';

const isValid = compileCheck(CRASH);

/**
 * Checks a crash object. Throws `malformed` with the JSON path of the first invalid field. Lenient (SDK door): one object.
 * Strict (native and webhook doors): also every field named in {@link CRASH}, a readable timestamp, and at least one of
 * `message`, `exception`, `stack` and `stack_trace` (or Sentry's `logentry`).
 */
export function checkCrashObject(crash: JsonValue, { strict }: { readonly strict: boolean }): void {
  if (typeof crash !== 'object' || crash === null || Array.isArray(crash)) {
    throw new CulpritError('malformed', 'The crash must be one JSON object.', { path: '' });
  }
  if (!strict) return;
  checkFields(crash as JsonObject);
  checkTimestamp(crash as JsonObject);
  checkSubstance(crash as JsonObject);
}

function checkFields(crash: JsonObject): void {
  if (isValid(crash)) return;
  const misfit = misfitOf(crash, CRASH);
  if (misfit === null) return;
  const path = jsonPath(misfit.keys);
  throw new CulpritError('malformed', `${path} ${misfit.problem}; correct it and send again.`, { path });
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
