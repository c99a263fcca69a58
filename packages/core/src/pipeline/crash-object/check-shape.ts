import type { JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';

/** The nesting depth of a JSON document (the document itself is at depth 1) and the size of its widest container. */
export interface Shape {
  readonly depth: number;
  readonly width: number;
}

/** The limits of every crash; a door may set lower ones. */
export const SHAPE_LIMITS = { depth: 64, width: 10_000 } as const satisfies Shape;

interface ShapePath {
  readonly value: JsonValue | undefined;
  readonly depth: number;
  readonly parent: ShapePath | null;
  readonly key: string | number;
}

/**
 * Returns the depth and width. Throws `malformed` with the path of the first container beyond `limits`; the error's
 * member `limit` names the limit (`json_depth`, `json_width`). Iterative, so no input can exhaust the call stack.
 */
export function checkShape(value: JsonValue | undefined, limits: Shape = SHAPE_LIMITS): Shape {
  return measure(value, limits) ?? refuseMisfit(value, limits);
}

/** `null` if a limit is exceeded; does not track where. */
function measure(value: JsonValue | undefined, limits: Shape): Shape | null {
  const open: object[] = [];
  const depths: number[] = [];
  const look = (member: unknown, depth: number) => {
    if (typeof member !== 'object' || member === null) return;
    open.push(member);
    depths.push(depth);
  };
  look(value, 1);
  let deepest = 0;
  let widest = 0;
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const depth = depths.pop() ?? 1;
    if (depth > limits.depth) return null;
    if (depth > deepest) deepest = depth;
    let width = 0;
    if (Array.isArray(container)) {
      width = container.length;
      if (width > limits.width) return null;
      for (let index = 0; index < width; index++) look(container[index], depth + 1);
    } else {
      for (const key in container) {
        if (++width > limits.width) return null;
        look((container as Record<string, unknown>)[key], depth + 1);
      }
    }
    if (width > widest) widest = width;
  }
  return { depth: deepest, width: widest };
}

/** Throws for the first container in document order, which {@link measure} need not find first. */
function refuseMisfit(value: JsonValue | undefined, limits: Shape): Shape {
  const open: ShapePath[] = [{ value, depth: 1, parent: null, key: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const container = place.value;
    if (typeof container !== 'object' || container === null) continue;
    if (place.depth > limits.depth) {
      refuse(place, 'json_depth', `is nested deeper than ${limits.depth} levels; send less of it`);
    }
    const entries: [string | number, JsonValue | undefined][] = Array.isArray(container)
      ? container.map((item, index) => [index, item])
      : Object.entries(container);
    if (entries.length > limits.width) {
      refuse(place, 'json_width', `holds more than ${limits.width} members; send less of it`);
    }
    for (const [key, member] of entries.reverse()) {
      if (typeof member === 'object' && member !== null) {
        open.push({ value: member, depth: place.depth + 1, parent: place, key });
      }
    }
  }
  return limits;
}

function refuse(place: ShapePath, limit: string, what: string): never {
  const keys: (string | number)[] = [];
  for (let at: ShapePath = place; at.parent !== null; at = at.parent) keys.push(at.key);
  const path = jsonPath(keys.reverse());
  throw new CulpritError('malformed', `${path === '' ? 'The crash object' : path} ${what}.`, {
    path,
    members: { limit },
  });
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
