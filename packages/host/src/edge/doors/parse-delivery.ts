import { CulpritError, isCulpritError } from '@culprit/core';
import type { ParsedDelivery, RawDelivery, Tracker } from '@culprit/core/connector';
import type { DoorContext } from './door.js';

/** A parser that throws anything but `malformed` has a bug; the sender still gets `malformed`. */
export function parseDelivery(context: DoorContext, tracker: Tracker, delivery: RawDelivery): ParsedDelivery {
  try {
    return tracker.parse({ ...delivery, itemBytes: context.guards.limits.eventItemBytes });
  } catch (error) {
    if (isCulpritError(error)) throw error;
    context.logger.error({ error: placeOf(error) }, 'a tracker’s parser failed');
    throw new CulpritError('malformed', 'The body could not be parsed.');
  }
}

/** The type and stack of an error, without its message: `JSON.parse` quotes the unsanitised body there. */
export function placeOf(error: unknown): { readonly type: string; readonly stack: string } {
  if (!(error instanceof Error)) return { type: typeof error, stack: '' };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return { type: error.name, stack: frames.slice(0, 10).join('\n') };
}
