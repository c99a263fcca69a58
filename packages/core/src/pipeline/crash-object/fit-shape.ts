import type { JsonObject, JsonValue } from '../../domain/json.js';

/** The nesting depth of a JSON document (the document itself is at depth 1) and the size of its widest container. */
export interface Shape {
  readonly depth: number;
  readonly width: number;
}

/** The limits of every crash; a door may set lower ones. */
export const SHAPE_LIMITS = { depth: 64, width: 10_000 } as const satisfies Shape;

/** A value within the limits, and what was removed for it. */
export interface Fitted {
  readonly value: JsonValue;
  readonly shape: Shape;
  /** One sentence for each place, in document order; at most {@link NOTES}. */
  readonly notes: readonly string[];
  /** Containers beyond each limit. */
  readonly cut: Shape;
}

/** Places that are named. */
const NOTES = 20;
const NOTHING_CUT: Shape = { depth: 0, width: 0 };

/**
 * Cuts a document to its limits instead of refusing it, as Relay does, because the rest still says where it crashed. What is
 * nested too deeply becomes a text; of a list that is too long the last items stay, because the newest frame is the last; of an
 * object the first members. The same value if nothing is cut.
 */
export function fitShape(value: JsonValue, limits: Shape = SHAPE_LIMITS): Fitted {
  const shape = measure(value, limits);
  if (shape !== null) return { value, shape, notes: [], cut: NOTHING_CUT };
  const notes: string[] = [];
  const cut = { depth: 0, width: 0 };
  const note = (limit: keyof Shape, keys: Keys, what: string) => {
    cut[limit]++;
    if (notes.length < NOTES) notes.push(`${jsonPath(keys) || 'the crash'} ${what}`);
  };
  // Never deeper than the limit, so no input can exhaust the call stack.
  const fit = (item: JsonObject | readonly JsonValue[], keys: Keys): JsonValue => {
    if (keys.length >= limits.depth) {
      note('depth', keys, `was removed: it is nested deeper than ${limits.depth} levels`);
      return isList(item) ? '[cut: list]' : '[cut: object]';
    }
    const member = (of: JsonValue | undefined, key: string | number) =>
      typeof of === 'object' && of !== null ? fit(of, [...keys, key]) : (of ?? null);
    if (isList(item)) {
      const from = Math.max(0, item.length - limits.width);
      if (from > 0) note('width', keys, `was cut to the last ${limits.width} of ${item.length} items`);
      return item.slice(from).map((of, index) => member(of, from + index));
    }
    const names = Object.keys(item);
    if (names.length > limits.width)
      note('width', keys, `was cut to the first ${limits.width} of ${names.length} members`);
    const kept = names.slice(0, limits.width);
    return Object.fromEntries(kept.map((name) => [name, member(item[name], name)]));
  };
  const fitted = fit(value as JsonObject, []);
  return { value: fitted, shape: measure(fitted, limits) ?? limits, notes, cut };
}

const isList = (item: JsonObject | readonly JsonValue[]): item is readonly JsonValue[] => Array.isArray(item);

/** `null` if a limit is exceeded. Iterative, because the depth is not known yet. */
function measure(value: JsonValue, limits: Shape): Shape | null {
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

type Keys = readonly (string | number)[];

/** `exception.values[0].type`; the document itself is the empty path. At most 256 characters. */
export function jsonPath(keys: Keys): string {
  const path = keys
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;
    })
    .join('');
  const trimmed = path.startsWith('.') ? path.slice(1) : path;
  return trimmed.length > 256 ? `${trimmed.slice(0, 253)}...` : trimmed;
}
