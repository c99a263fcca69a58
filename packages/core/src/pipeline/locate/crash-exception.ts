import type { CrashException, Event, Frame } from '../../domain/event.js';

export interface ThrownException {
  /** Index into the event's exceptions. */
  readonly index: number;
  readonly exception: CrashException;
}

/**
 * The exception whose stack trace is followed: the last one with frames of the project's own, else the last one with any
 * frames; `null` if none has frames.
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

/** Frames followed per cause, nearest to where it was thrown. */
const MAX_CAUSE_FRAMES = 10;

export interface FollowedCrash {
  /** The crash with the frames of its causes appended, so the frame that threw the root cause is last. */
  readonly exception: CrashException;
  /** Index of the first frame of a cause. */
  readonly causesFrom: number;
}

/**
 * Appends the frames of the causes. Not causes: suppressed exceptions, exceptions that were merely being handled when the
 * next one was thrown (`__context__`), and the members of a group.
 */
export function withCauses({ exceptions }: Event, { index, exception }: ThrownException): FollowedCrash {
  const causes: CrashException[] = [];
  for (const cause of isGroup(exception) ? [] : exceptions.slice(0, index).reverse()) {
    if (cause.mechanism?.type === 'suppressed') continue;
    if (cause.mechanism?.source === '__context__' || isGroup(cause)) break;
    causes.push(cause);
  }
  const messages = causes.flatMap(({ type, value }) => [type ?? '', value ?? '']);
  const own = new Set(exception.frames.map(placeOf));
  const frames = causes.flatMap((cause) =>
    cause.frames.filter((frame) => !own.has(placeOf(frame))).slice(-MAX_CAUSE_FRAMES),
  );
  const value = [exception.value ?? '', ...messages].join('\n').trim();
  return {
    exception: { ...exception, value, frames: [...exception.frames, ...frames] },
    causesFrom: exception.frames.length,
  };
}

/** Identifies a frame. Callers shared by a cause and the crash count as the crash's. */
function placeOf({ file, module, function: name, line }: Frame): string {
  return JSON.stringify([file, module, name, line]);
}

export function isGroup({ type }: CrashException): boolean {
  return /Exception ?Group|AggregateE(?:rror|xception)/.test(type ?? '');
}
