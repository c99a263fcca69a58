import type { CrashException, Event } from '../../domain/event.js';

export interface ThrownException {
  /** Index into the event's exceptions. */
  readonly index: number;
  readonly exception: CrashException;
}

/**
 * The exception whose stack is followed: the last that was raised and has frames of the project's own, else the last
 * with any frames; `null` without a stack.
 */
export function crashException(event: Event): ThrownException | null {
  let any: ThrownException | null = null;
  for (let index = event.exceptions.length - 1; index >= 0; index--) {
    const exception = event.exceptions[index];
    if (exception === undefined || exception.frames.length === 0) continue;
    if (exception.frames.some(({ in_app }) => in_app !== false)) return { index, exception };
    any ??= { index, exception };
  }
  return any;
}
