import type { Frame } from '@culprit/core/internal/domain/event';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';

/** A frame as the page shows it. */
export interface ShownFrame {
  readonly frame: Frame;
  /** Index into the exception's frames, oldest first. */
  readonly index: number;
  readonly place: PlacedFrame | null;
  readonly own: boolean;
}

export type FrameGroup =
  | { readonly kind: 'frames'; readonly members: readonly ShownFrame[] }
  | { readonly kind: 'library'; readonly members: readonly ShownFrame[] }
  /** Recursion: the same one to three frames, `times` in a row. */
  | {
      readonly kind: 'repeated';
      readonly members: readonly ShownFrame[];
      readonly times: number;
      readonly names: readonly string[];
    };

/** Frames that repeat less often are listed. */
const MIN_REPEATS = 3;
const LONGEST_CYCLE = 3;

/** Groups consecutive frames: recursion, and runs of library frames if any frame is the project's own. */
export function groupFrames(frames: readonly ShownFrame[], anyOwn: boolean): readonly FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (let at = 0; at < frames.length; ) {
    const cycle = cycleAt(frames, at);
    if (cycle !== null) {
      const members = frames.slice(at, at + cycle.length * cycle.times);
      const names = members.slice(0, cycle.length).map(({ frame }) => frame.function ?? '(anonymous)');
      groups.push({ kind: 'repeated', members, times: cycle.times, names });
      at += members.length;
      continue;
    }
    const one = frames[at++];
    if (one === undefined) break;
    const kind = anyOwn && !one.own ? 'library' : 'frames';
    const last = groups.at(-1);
    if (last?.kind === kind) groups[groups.length - 1] = { kind, members: [...last.members, one] };
    else groups.push({ kind, members: [one] });
  }
  return groups;
}

function cycleAt(frames: readonly ShownFrame[], at: number) {
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    let times = 1;
    while (sameFrames(frames, at, at + times * length, length)) times++;
    if (times >= MIN_REPEATS) return { length, times };
  }
  return null;
}

function sameFrames(frames: readonly ShownFrame[], a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at++) {
    const [one, other] = [frames[a + at]?.frame, frames[b + at]?.frame];
    if (one === undefined || other === undefined) return false;
    if (one.function !== other.function || one.file !== other.file || one.line !== other.line) return false;
  }
  return true;
}
