import type { CrashException, Event, Frame } from '../../domain/event.js';

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

/** Frames of causes that are followed: those next to where each was thrown. */
const MOST_CAUSE_FRAMES = 10;

export interface FollowedCrash {
  /** The crash with the frames of its causes after its own, so that the place where it all began comes first. */
  readonly exception: CrashException;
  /** Frames from this index on are those of causes. */
  readonly causesFrom: number;
}

/**
 * What was wrapped failed first, and its stack says where. An exception that was only being handled when the next one
 * came is no cause, nor is one that was suppressed, and the members of a group have no order.
 */
export function withCauses({ exceptions }: Event, { index, exception }: ThrownException): FollowedCrash {
  const causes: CrashException[] = [];
  for (const cause of isGroup(exception) ? [] : exceptions.slice(0, index).reverse()) {
    if (cause.mechanism?.type === 'suppressed') continue;
    if (cause.mechanism?.source === '__context__' || isGroup(cause)) break;
    causes.push(cause);
  }
  const told = causes.flatMap(({ type, value }) => [type ?? '', value ?? '']);
  const own = new Set(exception.frames.map(placeOf));
  const frames = causes.flatMap((cause) =>
    cause.frames.filter((frame) => !own.has(placeOf(frame))).slice(-MOST_CAUSE_FRAMES),
  );
  const value = [exception.value ?? '', ...told].join('\n').trim();
  return {
    exception: { ...exception, value, frames: [...exception.frames, ...frames] },
    causesFrom: exception.frames.length,
  };
}

/** Callers that a cause has in common with the crash are the crash's. */
function placeOf({ file, module, function: name, line }: Frame): string {
  return JSON.stringify([file, module, name, line]);
}

export function isGroup({ type }: CrashException): boolean {
  return /Exception ?Group|AggregateE(?:rror|xception)/.test(type ?? '');
}
