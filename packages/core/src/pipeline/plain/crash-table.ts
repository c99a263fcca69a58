import { CRASH, EXCEPTIONS, tableOf } from './shape.js';

/** {@link CRASH} as a table, and the names in it that mean more than what may stand there. */
export const TABLE = tableOf(CRASH, ['name', 'key', 'Name', 'Key', 'value', 'Value']);
export const NAMES = TABLE.names.length;
const idOf = (name: string) => TABLE.names.indexOf(name);
const isIn = (...names: readonly string[]) => Uint8Array.from(TABLE.names, (name) => +names.includes(name));
/** A `value` is named by what stands beside it: 1 is such a value, 2 such a name. */
export const TRAIT = isIn('value', 'Value').map(
  (is, id) => is + 2 * (isIn('name', 'key', 'Name', 'Key')[id] ?? 0),
);
export const SAYS_WHAT = isIn('message', 'stack');
export const EVENT_ID = idOf('event_id');
export const TIMESTAMP = idOf('timestamp');
export const VALUES = idOf('values');
export const OF_CRASH = TABLE.numberOf(CRASH);
export const OF_EXCEPTIONS = TABLE.numberOf(EXCEPTIONS);
export const EXCEPTION_LIST = TABLE.members[OF_EXCEPTIONS * NAMES + VALUES] ?? 0;
