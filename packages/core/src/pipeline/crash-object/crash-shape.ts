import { EVENT_ID, EVENT_ID_RULE } from '../../domain/event-id.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';

/** Kinds of JSON values, as bits. A whole number is a number too. */
export const KIND = {
  text: 1,
  number: 2,
  whole: 4,
  flag: 8,
  nothing: 16,
  object: 32,
  list: 64,
} as const;

const { text, number, whole, flag, nothing, object, list } = KIND;

/**
 * What a value may be, and its type `T`. A list in place of an object is accepted as an empty object: PHP writes `[]` for
 * one.
 */
export interface ValueShape<T = unknown> {
  /** Only for the compiler. */
  readonly type?: T;
  readonly kinds: number;
  /** Named members of an object; other members may be `others`, or anything. */
  readonly members?: Readonly<Record<string, ValueShape>>;
  readonly others?: ValueShape;
  readonly items?: ValueShape;
  readonly minItems?: number;
  readonly pattern?: { readonly expression: RegExp; readonly rule: string };
  /** Less common forms that are valid too. The edge's byte reader leaves them to the full check. */
  readonly also?: readonly ValueShape[];
}

type TypeOf<Shape> = Shape extends ValueShape<infer T> ? T : never;
type Members<Shapes> = { readonly [Name in keyof Shapes]?: TypeOf<Shapes[Name]> | undefined };

export const ANYTHING: ValueShape<JsonValue> = { kinds: 127 };
const TEXT: ValueShape<string | null> = { kinds: text | nothing };
const TEXT_OR_NUMBER: ValueShape<string | number | null> = { kinds: text | number | nothing };
const WHOLE: ValueShape<number | null> = { kinds: whole | nothing };
const FLAG: ValueShape<boolean | null> = { kinds: flag | nothing };
const NOTHING: ValueShape<null> = { kinds: nothing };
const SCALAR: ValueShape<string | number | boolean | null> = { kinds: text | number | flag | nothing };
const OBJECT: ValueShape<JsonObject | null> = { kinds: object | nothing };
const objectOf = <Shapes extends Readonly<Record<string, ValueShape>>>(
  members: Shapes,
): ValueShape<(Members<Shapes> & JsonObject) | null> => ({ kinds: object | nothing, members });
const listOf = <Item>(items: ValueShape<Item>): ValueShape<readonly Item[] | null> => ({
  kinds: list | nothing,
  items,
});
const either = <Common, Also extends readonly ValueShape[]>(
  common: ValueShape<Common>,
  ...also: Also
): ValueShape<Common | TypeOf<Also[number]>> => {
  const { type: _, ...shape } = common;
  return { ...shape, also };
};

const FRAME = objectOf({
  filename: TEXT,
  abs_path: TEXT,
  module: TEXT,
  package: TEXT,
  function: TEXT,
  raw_function: TEXT,
  lineno: WHOLE,
  colno: WHOLE,
  context_line: TEXT,
  pre_context: listOf(TEXT),
  post_context: listOf(TEXT),
  in_app: FLAG,
  vars: either(OBJECT, listOf(ANYTHING)),
  instruction_addr: TEXT_OR_NUMBER,
  /** Of the JavaScript file: finds its uploaded source map. */
  debug_id: TEXT,
  platform: TEXT,
});
const SHORT_FRAME = objectOf({
  file: TEXT,
  line: WHOLE,
  column: WHOLE,
  function: TEXT,
  module: TEXT,
  in_app: FLAG,
  /** Of the JavaScript file: finds its uploaded source map. */
  debug_id: TEXT,
});
const STACK = objectOf({ frames: listOf(FRAME) });
const EXCEPTION_MEMBERS = {
  type: TEXT,
  value: either(SCALAR, OBJECT, listOf(ANYTHING)),
  module: TEXT,
  mechanism: objectOf({ handled: FLAG, synthetic: FLAG }),
  stacktrace: STACK,
};
const EXCEPTION = objectOf(EXCEPTION_MEMBERS);
const SINGLE_EXCEPTION = objectOf({ ...EXCEPTION_MEMBERS, values: NOTHING });
const LOG_ENTRY = objectOf({ message: TEXT, formatted: TEXT, params: either(listOf(ANYTHING), OBJECT) });

/** The list of exceptions as Sentry sends it. An object without `values` is one exception on its own. */
export const EXCEPTIONS = either(
  objectOf({ values: listOf(EXCEPTION) }),
  listOf(EXCEPTION),
  SINGLE_EXCEPTION,
);

const TAGS: ValueShape<Readonly<Record<string, string | number | boolean | null>> | null> = {
  kinds: object | nothing,
  others: SCALAR,
};
const TAG_PAIR: ValueShape<readonly (string | number | boolean | null)[] | null> = {
  kinds: list | nothing,
  items: SCALAR,
  minItems: 2,
};

const CRASH_MEMBERS = {
  /** Identifies this crash: the same id is counted once. Default: a random one. */
  event_id: { ...TEXT, pattern: { expression: EVENT_ID, rule: EVENT_ID_RULE } } as ValueShape<string | null>,
  /** What happened, if there is no exception. */
  message: either(TEXT, LOG_ENTRY),
  logentry: either(NOTHING, LOG_ENTRY),
  /** The chain of exceptions, the last one raised last. Frames are oldest first. */
  exception: EXCEPTIONS,
  /** A stack with `file`, `line` and `function`. Frames are oldest first: the last one threw. */
  stack_trace: objectOf({ frames: listOf(SHORT_FRAME) }),
  /** A stack as text, such as `error.stack`. */
  stack: TEXT,
  stacktrace: STACK,
  /** ISO 8601, or seconds since 1970. Default: now. */
  timestamp: TEXT_OR_NUMBER,
  /** `fatal`, `error`, `warning`, `info` or `debug`. Default: `error`. */
  level: TEXT_OR_NUMBER,
  /** The language, such as `node` or `python`. It decides how `stack` is read. */
  platform: TEXT,
  /** A version, tag or commit, from which the crashed revision is found. */
  release: either(TEXT, objectOf({ version: TEXT })),
  dist: TEXT_OR_NUMBER,
  environment: TEXT,
  server_name: TEXT,
  transaction: TEXT,
  logger: TEXT,
  tags: either(TAGS, listOf(TAG_PAIR)),
  user: OBJECT,
  request: OBJECT,
  contexts: OBJECT,
  extra: OBJECT,
  modules: OBJECT,
  breadcrumbs: either(objectOf({ values: listOf(OBJECT) }), listOf(OBJECT)),
  /** Your own grouping key, instead of the computed one. */
  fingerprint: listOf(SCALAR),
  sdk: objectOf({ name: TEXT, version: TEXT }),
};

/**
 * The crash object of the native and webhook doors. The strict check, the published JSON Schema, the type
 * {@link CrashObject} and the edge's byte reader are all derived from this table. `null` means "not given" everywhere. In all
 * three forms of a stack, frames are oldest first (the last frame threw), and the last exception of a list was raised last.
 */
export const CRASH: ValueShape = { kinds: object, members: CRASH_MEMBERS };

/** A crash as the native door and `engine.ingest` accept it. Every member is optional; unknown members are kept as `extra`. */
export interface CrashObject extends Members<typeof CRASH_MEMBERS> {
  readonly [other: string]: unknown;
}
