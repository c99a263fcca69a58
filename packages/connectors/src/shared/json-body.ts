import { CulpritError, type JsonObject } from '@culprit/core';
import { fitText } from './fit-text.js';

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
