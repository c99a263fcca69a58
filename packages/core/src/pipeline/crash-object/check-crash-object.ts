import type { JsonObject, JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';
import { asList, asObject, asText, asValues } from '../normalise/read.js';
import { isTimestamp } from '../normalise/time.js';
import { CRASH, KIND, type ValueShape } from './crash-shape.js';
import { jsonPath } from './fit-shape.js';

type Json = JsonValue | undefined;
type Keys = readonly (string | number)[];

/** A value that its shape does not allow; `keys` lead to it, `problem` completes a sentence about it. */
interface Misfit {
  readonly keys: Keys;
  readonly problem: string;
}

/** Compiles a shape to a check that only answers yes or no. {@link misfitOf} finds out what is wrong. */
export function compileCheck(shape: ValueShape): (value: Json) => boolean {
  const forms = formsOf(shape);
  const [first, ...others] = forms.map((form) => compileForm(form, isListObject(forms)));
  if (first === undefined || others.length === 0) return first ?? (() => false);
  return (value) => first(value) || others.some((accepts) => accepts(value));
}

function compileForm(shape: ValueShape, listIsObject: boolean): (value: Json) => boolean {
  const { kinds, pattern, minItems = 0 } = shape;
  const members = new Map(Object.entries(shape.members ?? {}).map(([name, of]) => [name, compileCheck(of)]));
  const others = shape.others && compileCheck(shape.others);
  const item = shape.items && compileCheck(shape.items);
  const hasMembers = members.size > 0 || others !== undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) {
      if ((kinds & kindOf(value)) === 0) return false;
      return pattern === undefined || typeof value !== 'string' || pattern.expression.test(value);
    }
    if (Array.isArray(value)) {
      if ((kinds & KIND.list) === 0) return listIsObject && (kinds & KIND.object) !== 0;
      if (value.length < minItems) return false;
      if (item === undefined) return true;
      for (let index = 0; index < value.length; index++) if (!item(value[index])) return false;
      return true;
    }
    if ((kinds & KIND.object) === 0) return false;
    if (!hasMembers) return true;
    for (const name in value) {
      const check = members.get(name) ?? others;
      if (check !== undefined && !check((value as JsonObject)[name])) return false;
    }
    return true;
  };
}

/** The first misfit; in a value with several allowed forms, that of the form that fits furthest. */
export function misfitOf(value: Json, shape: ValueShape, keys: Keys = []): Misfit | null {
  const forms = formsOf(shape);
  if (Array.isArray(value) && isListObject(forms)) return null;
  let deepest: Misfit | null = null;
  for (const form of forms.filter(({ kinds }) => (kinds & kindOf(value)) !== 0)) {
    const found = misfitWithin(value, form, keys);
    if (found === null) return null;
    if (deepest === null || found.keys.length > deepest.keys.length) deepest = found;
  }
  return deepest ?? { keys, problem: expected(value, forms) };
}

function misfitWithin(value: Json, shape: ValueShape, keys: Keys): Misfit | null {
  const { pattern, minItems = 0, items, members, others } = shape;
  if (typeof value === 'string' && pattern !== undefined && !pattern.expression.test(value)) {
    return { keys, problem: pattern.rule };
  }
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      const of = members !== undefined && Object.hasOwn(members, name) ? members[name] : others;
      const found = of === undefined ? null : misfitOf(member, of, [...keys, name]);
      if (found !== null) return found;
    }
    return null;
  }
  if (value.length < minItems) return { keys: [...keys, value.length], problem: 'is missing' };
  for (const [index, item] of (value as readonly JsonValue[]).entries()) {
    const found = items === undefined ? null : misfitOf(item, items, [...keys, index]);
    if (found !== null) return found;
  }
  return null;
}

const formsOf = (shape: ValueShape): readonly ValueShape[] => [shape, ...(shape.also ?? [])];

/** Whether a list passes for an object: only where no form is a list itself. */
const isListObject = (forms: readonly ValueShape[]) =>
  forms.some(({ kinds }) => (kinds & KIND.object) !== 0) &&
  forms.every(({ kinds }) => (kinds & KIND.list) === 0);

function kindOf(value: Json): number {
  if (value === null || value === undefined) return KIND.nothing;
  if (typeof value === 'string') return KIND.text;
  if (typeof value === 'boolean') return KIND.flag;
  if (typeof value === 'number') return Number.isInteger(value) ? KIND.number | KIND.whole : KIND.number;
  return Array.isArray(value) ? KIND.list : KIND.object;
}

const WORDS: readonly (readonly [number, string])[] = [
  [KIND.text, 'a string'],
  [KIND.number, 'a number'],
  [KIND.whole, 'a whole number'],
  [KIND.flag, 'true or false'],
  [KIND.object, 'an object'],
  [KIND.list, 'a list'],
];

/** Names kinds, never values: the value may be secret. */
function expected(value: Json, forms: readonly ValueShape[]): string {
  const kinds = forms.reduce((all, form) => all | form.kinds, 0);
  const wanted = WORDS.filter(([kind]) => (kinds & kind) !== 0).map(([, word]) => word);
  const given = WORDS.find(([kind]) => (kindOf(value) & kind) !== 0)?.[1] ?? 'null';
  const isFraction = given === 'a number' && (kinds & KIND.whole) !== 0;
  return `must be ${wanted.join(' or ') || 'null'}, not ${isFraction ? 'a fraction' : given}`;
}

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
