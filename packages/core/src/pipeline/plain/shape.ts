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

/** What may stand in one place. Members that are not named may be `others`; without that, anything. */
export interface Shape {
  readonly takes: number;
  readonly members?: Readonly<Record<string, Shape>>;
  readonly others?: Shape;
  readonly items?: Shape;
}

const ANYTHING: Shape = { takes: 127 };
const TEXT: Shape = { takes: text | nothing };
const TEXT_OR_NUMBER: Shape = { takes: text | number | nothing };
const WHOLE: Shape = { takes: whole | nothing };
const FLAG: Shape = { takes: flag | nothing };
const NOTHING: Shape = { takes: nothing };
const SCALAR: Shape = { takes: text | number | flag | nothing };
const OBJECT: Shape = { takes: object | nothing };
const objectOf = (members: Readonly<Record<string, Shape>>): Shape => ({ takes: object | nothing, members });
const listOf = (items: Shape): Shape => ({ takes: list | nothing, items });

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
  vars: OBJECT,
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
const EXCEPTION = objectOf({
  type: TEXT,
  value: SCALAR,
  module: TEXT,
  mechanism: objectOf({ handled: FLAG, synthetic: FLAG }),
  stacktrace: STACK,
});
/** Must have `values`: what has none is one exception on its own, which this does not describe. */
export const EXCEPTIONS = objectOf({ values: listOf(EXCEPTION) });

/**
 * The forms that nearly every crash object has. Law: what this takes, `crashObject` takes too; a test holds both beside
 * each other.
 */
export const CRASH: Shape = {
  takes: object,
  members: {
    event_id: TEXT,
    message: TEXT,
    logentry: NOTHING,
    exception: EXCEPTIONS,
    stack_trace: objectOf({ frames: listOf(SHORT_FRAME) }),
    stack: TEXT,
    stacktrace: STACK,
    timestamp: TEXT_OR_NUMBER,
    level: TEXT,
    platform: TEXT,
    release: TEXT,
    dist: TEXT_OR_NUMBER,
    environment: TEXT,
    server_name: TEXT,
    transaction: TEXT,
    logger: TEXT,
    tags: { takes: object | nothing, others: SCALAR },
    user: OBJECT,
    request: OBJECT,
    contexts: OBJECT,
    extra: OBJECT,
    modules: OBJECT,
    breadcrumbs: objectOf({ values: listOf(OBJECT) }),
    fingerprint: listOf(SCALAR),
    sdk: objectOf({ name: TEXT, version: TEXT }),
  },
};

/** Shapes by number, so that one look into a table tells what may follow. Number 0 is anything. */
export interface ShapeTable {
  /** The names that any shape knows; the id of a name is its place. */
  readonly names: readonly string[];
  readonly takes: Uint8Array;
  readonly items: Uint8Array;
  /** By shape times `names.length` plus the name's id; `others` for all further names. */
  readonly members: Uint8Array;
  readonly others: Uint8Array;
  numberOf(shape: Shape): number;
}

export function tableOf(root: Shape, moreNames: readonly string[]): ShapeTable {
  const shapes: Shape[] = [ANYTHING];
  const collect = (shape: Shape | undefined) => {
    if (shape === undefined || shapes.includes(shape)) return;
    shapes.push(shape);
    for (const inner of [...Object.values(shape.members ?? {}), shape.others, shape.items]) collect(inner);
  };
  collect(root);
  const names = [...new Set([...shapes.flatMap(({ members }) => Object.keys(members ?? {})), ...moreNames])];
  const numberOf = (shape: Shape | undefined) => Math.max(0, shapes.indexOf(shape ?? ANYTHING));
  const table = {
    names,
    takes: Uint8Array.from(shapes, ({ takes }) => takes),
    items: Uint8Array.from(shapes, ({ items }) => numberOf(items)),
    members: new Uint8Array(shapes.length * names.length),
    others: Uint8Array.from(shapes, ({ others }) => numberOf(others)),
    numberOf,
  };
  for (const [index, { members, others }] of shapes.entries()) {
    for (const [id, name] of names.entries()) {
      table.members[index * names.length + id] = numberOf(members?.[name] ?? others);
    }
  }
  return table;
}
