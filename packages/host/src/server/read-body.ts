import { CulpritError } from '@culprit/core';
import { checkInput } from '@culprit/core/internal/operations/check-input';
import type * as v from 'valibot';
import type { HttpRequest } from '../http/message.js';

/** Parses and validates a JSON body. @throws `malformed` with the member's path. */
export function readBody<Schema extends v.GenericSchema>(
  request: Pick<HttpRequest, 'body'>,
  schema: Schema,
): v.InferOutput<Schema> {
  const value = parseObject(request.body);
  if (value === undefined) throw new CulpritError('malformed', 'The request needs a JSON body.');
  return checkInput(schema, value, 'The body');
}

/** Like {@link readBody}, but an empty body counts as `{}`. */
export function readOptionalBody<Schema extends v.GenericSchema>(
  request: Pick<HttpRequest, 'body'>,
  schema: Schema,
): v.InferOutput<Schema> {
  const value = parseObject(request.body);
  return checkInput(schema, value === undefined ? {} : value, 'The body');
}

/** Valibot's object schemas accept arrays. */
function parseObject(body: Uint8Array): unknown {
  const value = parse(body);
  if (Array.isArray(value)) throw new CulpritError('malformed', 'The body must be an object, not an array.');
  return value;
}

/** `undefined` without a body. */
function parse(body: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new CulpritError('malformed', 'The body is not UTF-8.');
  }
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CulpritError('malformed', 'The body is not JSON.');
  }
}
