import {
  ANYTHING,
  CRASH,
  EXCEPTIONS,
  type ValueShape,
} from '@culprit/core/internal/pipeline/crash-object/crash-shape';

/** Names whose role the reader knows, besides those of the crash object. */
const ROLES = ['name', 'key', 'Name', 'Key', 'value', 'Value'];

/** The common form of every shape, by number, so that one lookup finds the shape of a member. Shape 0 is anything. */
const shapes = collectShapes();
/** Every named member; the id of a name is its index. */
export const NAMES: readonly string[] = [
  ...new Set([...shapes.flatMap(({ members }) => Object.keys(members ?? {})), ...ROLES]),
];
const numberOf = (shape: ValueShape | undefined) => Math.max(0, shapes.indexOf(shape ?? ANYTHING));

export const KINDS = Uint8Array.from(shapes, ({ kinds }) => kinds);
export const ITEMS = Uint8Array.from(shapes, ({ items }) => numberOf(items));
/** The shape of members without a name of their own. */
export const OTHERS = Uint8Array.from(shapes, ({ others }) => numberOf(others));
/** The shape of a named member, at shape × {@link NAMES} + name. */
export const MEMBERS = Uint8Array.from(
  shapes.flatMap(({ members, others }) => NAMES.map((name) => numberOf(members?.[name] ?? others))),
);

export const NAME_COUNT = NAMES.length;
const idOf = (name: string) => NAMES.indexOf(name);
const isIn = (...names: readonly string[]) => Uint8Array.from(NAMES, (name) => +names.includes(name));
/** 1: a `value` that a sibling names; 2: such a sibling. */
export const ROLE = isIn('value', 'Value').map(
  (is, id) => is + 2 * (isIn('name', 'key', 'Name', 'Key')[id] ?? 0),
);
/** Members that are enough to describe a crash. */
export const DESCRIBES = isIn('message', 'stack');
export const EVENT_ID_NAME = idOf('event_id');
export const TIMESTAMP = idOf('timestamp');
export const VALUES = idOf('values');
export const CRASH_SHAPE = numberOf(CRASH);
export const EXCEPTIONS_SHAPE = numberOf(EXCEPTIONS);
export const EXCEPTION_LIST = MEMBERS[EXCEPTIONS_SHAPE * NAME_COUNT + VALUES] ?? 0;

function collectShapes(): readonly ValueShape[] {
  const found: ValueShape[] = [ANYTHING];
  const collect = (shape: ValueShape | undefined) => {
    if (shape === undefined || found.includes(shape)) return;
    found.push(shape);
    for (const inner of [...Object.values(shape.members ?? {}), shape.others, shape.items]) collect(inner);
  };
  collect(CRASH);
  return found;
}
