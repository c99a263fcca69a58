import { CulpritError, type JsonObject } from '@culprit/core';
import { outOfShape } from './out-of-shape.js';

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
  return parseJsonObject(readText(bytes, path), path);
}

export function parseJsonObject(text: string, path?: string): JsonObject {
  const options = path === undefined ? {} : { path };
  const limit = outOfShape(text);
  if (limit !== null) {
    throw new CulpritError(
      'malformed',
      'The body is nested too deeply, or one object or array has too many members.',
      { ...options, members: { limit } },
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CulpritError('malformed', 'The body is not valid JSON.', options);
  }
  if (!isJsonObject(value)) throw new CulpritError('malformed', 'The body must be one JSON object.', options);
  return value;
}
