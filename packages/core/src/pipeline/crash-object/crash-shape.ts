import { EVENT_ID, EVENT_ID_RULE } from '../../domain/event-id.js';

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

/** What a value may be. A list in place of an object is accepted as an empty object: PHP writes `[]` for one. */
export interface ValueShape {
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

export const ANYTHING: ValueShape = { kinds: 127 };
const TEXT: ValueShape = { kinds: text | nothing };
const TEXT_OR_NUMBER: ValueShape = { kinds: text | number | nothing };
const WHOLE: ValueShape = { kinds: whole | nothing };
const FLAG: ValueShape = { kinds: flag | nothing };
const NOTHING: ValueShape = { kinds: nothing };
const SCALAR: ValueShape = { kinds: text | number | flag | nothing };
const OBJECT: ValueShape = { kinds: object | nothing };
const objectOf = (members: Readonly<Record<string, ValueShape>>): ValueShape => ({
  kinds: object | nothing,
  members,
});
const listOf = (items: ValueShape): ValueShape => ({ kinds: list | nothing, items });
const either = (common: ValueShape, ...also: readonly ValueShape[]): ValueShape => ({ ...common, also });

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
  platform: TEXT,
});
const SHORT_FRAME = objectOf({
  file: TEXT,
  line: WHOLE,
  column: WHOLE,
  function: TEXT,
  module: TEXT,
  in_app: FLAG,
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

/**
 * The crash object of the native and webhook doors. The strict check, the published JSON Schema and the edge's byte
 * reader are all derived from this table. `null` means "not given" everywhere. In all three forms of a stack, frames
 * are oldest first (the last frame threw), and the last exception of a list was raised last.
 */
export const CRASH: ValueShape = {
  kinds: object,
  members: {
    event_id: { ...TEXT, pattern: { expression: EVENT_ID, rule: EVENT_ID_RULE } },
    message: either(TEXT, LOG_ENTRY),
    logentry: either(NOTHING, LOG_ENTRY),
    exception: EXCEPTIONS,
    stack_trace: objectOf({ frames: listOf(SHORT_FRAME) }),
    stack: TEXT,
    stacktrace: STACK,
    timestamp: TEXT_OR_NUMBER,
    level: TEXT_OR_NUMBER,
    platform: TEXT,
    release: either(TEXT, objectOf({ version: TEXT })),
    dist: TEXT_OR_NUMBER,
    environment: TEXT,
    server_name: TEXT,
    transaction: TEXT,
    logger: TEXT,
    tags: either(
      { kinds: object | nothing, others: SCALAR },
      listOf({ kinds: list | nothing, items: SCALAR, minItems: 2 }),
    ),
    user: OBJECT,
    request: OBJECT,
    contexts: OBJECT,
    extra: OBJECT,
    modules: OBJECT,
    breadcrumbs: either(objectOf({ values: listOf(OBJECT) }), listOf(OBJECT)),
    fingerprint: listOf(SCALAR),
    sdk: objectOf({ name: TEXT, version: TEXT }),
  },
};
