import type { CulpritError } from '@culprit/core';
import * as v from 'valibot';

/** Validates a response's shape. A mismatch is the other system's failure, not a bug here. */
export function read<const Schema extends v.GenericSchema>(
  schema: Schema,
  data: unknown,
  otherwise: () => CulpritError,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, data);
  if (!parsed.success) throw otherwise();
  return parsed.output;
}
