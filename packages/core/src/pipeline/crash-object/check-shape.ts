import type { JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';

/** What a JSON document may weigh in nesting; the document itself is at depth 1. */
export const SHAPE_LIMITS = { depth: 64, width: 10_000 } as const;

interface Place {
  readonly value: JsonValue | undefined;
  readonly depth: number;
  readonly parent: Place | null;
  readonly key: string | number;
}

/**
 * Throws `malformed` with the path of the first container that is nested deeper than 64 or holds more than 10,000
 * members or items. Iterative, so no input can exhaust the call stack.
 */
export function checkShape(value: JsonValue | undefined): void {
  if (!fits(value)) findMisfit(value);
}

/** Whether there is anything to say at all, without keeping track of where. */
function fits(value: JsonValue | undefined): boolean {
  const open: object[] = [];
  const depths: number[] = [];
  const look = (member: unknown, depth: number) => {
    if (typeof member !== 'object' || member === null) return;
    open.push(member);
    depths.push(depth);
  };
  look(value, 1);
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const depth = depths.pop() ?? 1;
    if (depth > SHAPE_LIMITS.depth) return false;
    let width = 0;
    if (Array.isArray(container)) {
      width = container.length;
      if (width > SHAPE_LIMITS.width) return false;
      for (let index = 0; index < width; index++) look(container[index], depth + 1);
      continue;
    }
    for (const key in container) {
      if (++width > SHAPE_LIMITS.width) return false;
      look((container as Record<string, unknown>)[key], depth + 1);
    }
  }
  return true;
}

function findMisfit(value: JsonValue | undefined): void {
  const open: Place[] = [{ value, depth: 1, parent: null, key: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const container = place.value;
    if (typeof container !== 'object' || container === null) continue;
    if (place.depth > SHAPE_LIMITS.depth) {
      refuse(place, `is nested deeper than ${SHAPE_LIMITS.depth} levels; send less of it`);
    }
    const entries: [string | number, JsonValue | undefined][] = Array.isArray(container)
      ? container.map((item, index) => [index, item])
      : Object.entries(container);
    if (entries.length > SHAPE_LIMITS.width) {
      refuse(place, `holds more than ${SHAPE_LIMITS.width} members; send less of it`);
    }
    for (const [key, member] of entries.reverse()) {
      if (typeof member === 'object' && member !== null) {
        open.push({ value: member, depth: place.depth + 1, parent: place, key });
      }
    }
  }
}

function refuse(place: Place, what: string): never {
  const keys: (string | number)[] = [];
  for (let at: Place = place; at.parent !== null; at = at.parent) keys.push(at.key);
  const path = jsonPath(keys.reverse());
  throw new CulpritError('malformed', `${path === '' ? 'The crash object' : path} ${what}.`, { path });
}

/** `exception.values[0].type`; the document itself is the empty path. At most 256 characters. */
export function jsonPath(keys: readonly (string | number)[]): string {
  const path = keys
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;
    })
    .join('');
  const trimmed = path.startsWith('.') ? path.slice(1) : path;
  return trimmed.length > 256 ? `${trimmed.slice(0, 253)}...` : trimmed;
}
