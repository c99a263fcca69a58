import type { JsonObject } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 and drops a byte order mark. Throws `malformed` if the bytes are not UTF-8. */
export function readText(bytes: Uint8Array, path?: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new CulpritError('malformed', 'The body is not UTF-8.', {
      ...(path === undefined ? {} : { path }),
      cause: error,
    });
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses one JSON object. Throws `malformed` otherwise, without repeating the text. */
export function readJsonObject(bytes: Uint8Array, path?: string): JsonObject {
  const text = readText(bytes, path);
  const { limit } = fitText(text);
  if (limit === null) return parse(text, path);
  throw new CulpritError(
    'malformed',
    'The body is nested too deeply, or one object or array has too many members.',
    { ...(path === undefined ? {} : { path }), members: { limit } },
  );
}

/** Parses the JSON of one crash. What is far too deep or too wide is cut before it is parsed; the receiver cuts it further and notes it. */
export function parseCrashJson(text: string, path?: string): JsonObject {
  return parse(fitText(text).text, path);
}

export const readCrashJson = (bytes: Uint8Array, path?: string) =>
  parseCrashJson(readText(bytes, path), path);

function parse(text: string, path?: string): JsonObject {
  const options = path === undefined ? {} : { path };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CulpritError('malformed', 'The body is not valid JSON.', options);
  }
  if (!isJsonObject(value)) throw new CulpritError('malformed', 'The body must be one JSON object.', options);
  return value;
}

/** Far above core's own limits, which name the exact place. Text beyond these limits is not worth parsing. */
const MAX_MEMBERS = 20_000;
const MAX_LEVELS = 1_000;
const BACKSLASH = 92;

/** JSON text within the limits. */
interface FittedText {
  readonly text: string;
  /** The first limit that the text as given far exceeds. */
  readonly limit: 'json_depth' | 'json_width' | null;
}

interface Open {
  readonly isList: boolean;
  readonly at: number;
  readonly commas: number[];
}

/**
 * Cuts what far exceeds nesting depth or members of one container, before parsing, because objects with very many members,
 * especially numeric names, cost a hundred times their text's size. Of a list the last items stay, of an object the first
 * members, as core cuts them. Invalid JSON stays invalid.
 */
function fitText(text: string): FittedText {
  // Each further member takes at least two characters.
  if (text.length < MAX_MEMBERS * 2) return { text, limit: null };
  const cuts: Cut[] = [];
  let limit: FittedText['limit'] = null;
  const open: Open[] = [{ isList: false, at: -1, commas: [] }];
  /** Containers that are open within one that is nested too deeply. */
  let below = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfString(text, at);
    else if (code === 91 || code === 123) {
      if (below > 0 || open.length === MAX_LEVELS) {
        if (below++ === 0) from = at;
        limit ??= 'json_depth';
      } else open.push({ isList: code === 91, at, commas: [] });
    } else if (code === 93 || code === 125) {
      if (below > 0) {
        if (--below === 0) cuts.push({ from, to: at + 1, put: 'null' });
      } else if (open.length > 1) cutMembers(open.pop() as Open, at, cuts);
    } else if (code === 44 && below === 0) {
      const commas = (open.at(-1) as Open).commas;
      if (commas.push(at) === MAX_MEMBERS) limit ??= 'json_width';
    }
  }
  return { text: limit === null ? text : without(text, cuts), limit };
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

function cutMembers({ isList, at, commas }: Open, end: number, cuts: Cut[]): void {
  if (commas.length < MAX_MEMBERS) return;
  const [from, to] = isList
    ? [at + 1, (commas[commas.length - MAX_MEMBERS] ?? 0) + 1]
    : [commas[MAX_MEMBERS - 1] ?? end, end];
  cuts.push({ from, to, put: '' });
}

/** A cut within another is gone with it. */
function without(text: string, cuts: readonly Cut[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, put } of [...cuts].sort((one, other) => one.from - other.from)) {
    if (from < at) continue;
    result += text.slice(at, from) + put;
    at = to;
  }
  return result + text.slice(at);
}

/** The closing quote: the first one preceded by an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
