import type { JsonObject, JsonValue } from '../../domain/json.js';

type Json = JsonValue | undefined;
type Check = (value: Json) => boolean;

const isText: Check = (value) => value === undefined || value === null || typeof value === 'string';
const isFlag: Check = (value) => value === undefined || value === null || typeof value === 'boolean';
const isInteger: Check = (value) => value === undefined || value === null || Number.isInteger(value);
const isTextOrNumber: Check = (value) => typeof value === 'number' || isText(value);
const isScalar: Check = (value) => value === null || (typeof value !== 'object' && value !== undefined);

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const orNothing =
  (check: (object: JsonObject) => boolean): Check =>
  (value) =>
    value === undefined || value === null || (isObject(value) && check(value));
const listOf =
  (check: Check): Check =>
  (value) => {
    if (value === undefined || value === null) return true;
    if (!Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index++) if (!check(value[index])) return false;
    return true;
  };

const isLines = listOf(isText);
const isAnyObject = orNothing(() => true);
const isFrame = orNothing(
  (frame) =>
    isText(frame.filename) &&
    isText(frame.abs_path) &&
    isText(frame.module) &&
    isText(frame.package) &&
    isText(frame.function) &&
    isText(frame.raw_function) &&
    isInteger(frame.lineno) &&
    isInteger(frame.colno) &&
    isText(frame.context_line) &&
    isLines(frame.pre_context) &&
    isLines(frame.post_context) &&
    isFlag(frame.in_app) &&
    isAnyObject(frame.vars) &&
    isTextOrNumber(frame.instruction_addr) &&
    isText(frame.platform),
);
const isShortFrame = orNothing(
  (frame) =>
    isText(frame.file) &&
    isInteger(frame.line) &&
    isInteger(frame.column) &&
    isText(frame.function) &&
    isText(frame.module) &&
    isFlag(frame.in_app),
);
const isFrames = listOf(isFrame);
const isStack = orNothing(({ frames }) => isFrames(frames));
const isMechanism = orNothing(({ handled, synthetic }) => isFlag(handled) && isFlag(synthetic));
const isException = orNothing(
  ({ type, value, module, mechanism, stacktrace }) =>
    isText(type) &&
    (value === undefined || isScalar(value)) &&
    isText(module) &&
    isMechanism(mechanism) &&
    isStack(stacktrace),
);
const isExceptions = listOf(isException);
const isCrumbs = listOf(isAnyObject);
const isShortFrames = listOf(isShortFrame);
const isScalars = listOf(isScalar);

/** The forms that nearly everything has; rarer ones that are allowed too are left to the schema. */
const MEMBERS: Readonly<Record<string, Check>> = {
  message: isText,
  logentry: (value) => value === undefined || value === null,
  exception: orNothing((exception) => 'values' in exception && isExceptions(exception.values)),
  stack_trace: orNothing(({ frames }) => isShortFrames(frames)),
  stack: isText,
  stacktrace: isStack,
  timestamp: isTextOrNumber,
  level: isText,
  platform: isText,
  release: isText,
  dist: isTextOrNumber,
  environment: isText,
  server_name: isText,
  transaction: isText,
  logger: isText,
  tags: orNothing((tags) => {
    for (const name in tags) if (!isScalar(tags[name])) return false;
    return true;
  }),
  user: isAnyObject,
  request: isAnyObject,
  contexts: isAnyObject,
  extra: isAnyObject,
  modules: isAnyObject,
  breadcrumbs: orNothing(({ values }) => isCrumbs(values)),
  fingerprint: isScalars,
  sdk: orNothing(({ name, version }) => isText(name) && isText(version)),
};
const EVENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Whether the schema takes this crash, told in a tenth of the schema's time. Law: true only where the schema says so
 * too; false may mean either.
 */
export function isFastValid(crash: JsonObject): boolean {
  const { event_id } = crash;
  if (!isText(event_id) || (typeof event_id === 'string' && !EVENT_ID.test(event_id))) return false;
  for (const name in MEMBERS) {
    const value = crash[name];
    if (value !== undefined && MEMBERS[name]?.(value) !== true) return false;
  }
  return true;
}
