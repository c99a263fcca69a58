import type { CrashException, Frame } from '../../domain/event.js';
import {
  finishException,
  headedException,
  makeFrame,
  PARSE_LIMITS,
  type PartialException,
  positive,
} from './text.js';

/**
 * The JVM's stacks, newest frame first; the exception that was raised last is printed first, its causes below. Frames
 * that a cause shares with its effect (`... 12 more`) are restored. Suppressed exceptions come before the chain,
 * marked by their mechanism.
 */
export function parseJava(lines: readonly string[]): readonly CrashException[] {
  const chain: PartialException[] = [];
  const suppressed: PartialException[] = [];
  let current: PartialException | null = null;
  let inner = -1;
  /** The line of the last `Exception in thread`, above which no exception begins. */
  let thread = 0;
  let restorable: number = MAX_RESTORED;
  for (const [index, line] of lines.entries()) {
    const indent = line.length - line.trimStart().length;
    const text = line.trim();
    if (text.startsWith('Exception in thread "') && chain.length > 0) {
      chain.length = 0;
      suppressed.length = 0;
      current = null;
      thread = index;
    }
    if (inner >= 0 && indent <= inner && text !== '') {
      inner = -1;
      current = chain.at(-1) ?? null;
    }
    const frame = readFrame(text);
    if (frame !== null) {
      current ??= start(chain, lines, index, thread);
      current.frames.push(frame);
    } else if (inner < 0 && text.startsWith('Caused by: ')) {
      current = begin(chain, text.slice('Caused by: '.length));
    } else if (text.startsWith('Suppressed: ') && current !== null) {
      inner = indent;
      current = begin(suppressed, text.slice('Suppressed: '.length));
    } else if (current !== null && chain.length > 0)
      restorable -= restore(current, chain.at(inner < 0 ? -2 : -1), text, restorable);
    if (current !== null && frame === null && current.frames.length === 0) addMessage(current, text);
  }
  const named = [
    ...suppressed.reverse().map(asSuppressed),
    ...chain.reverse().map((draft) => finishException(draft, 'newest')),
  ];
  return named
    .filter(({ frames, type }) => frames.length > 0 || type !== null)
    .slice(-PARSE_LIMITS.exceptions);
}

/** `module/pkg.Class.method(File.java:12)`, `(Native Method)`, `(Unknown Source)`; loggers may add `[jar:1.0]`. */
function readFrame(text: string): Frame | null {
  if (!text.startsWith('at ')) return null;
  const open = text.indexOf('(');
  const close = text.indexOf(')', open);
  if (open < 0 || close < 0) return null;
  const called = text.slice(3, open);
  const name = called.slice(called.lastIndexOf('/', lambdaAt(called)) + 1);
  const dot = name.lastIndexOf('.');
  const where =
    /^(?:([^():]{1,200}\.(?:java|kt|kts|scala|groovy|clj))(?::(\d{1,9}))?|(SourceFile|Unknown Source|Native Method)(?::\d{1,9})?)$/.exec(
      text.slice(open + 1, close),
    );
  if (dot <= 0 || where === null || /\s/.test(name)) return null;
  return makeFrame({
    module: name.slice(0, dot),
    function: name.slice(dot + 1),
    file: where[1] ?? null,
    line: positive(where[2]),
  });
}

/** `Main$$Lambda/0x00.apply`: this slash does not separate a module. */
const lambdaAt = (called: string) =>
  called.includes('$$Lambda') ? called.indexOf('$$Lambda') : called.length;

/** The lines of the first exception are above its first frame. */
function start(
  chain: PartialException[],
  lines: readonly string[],
  first: number,
  thread: number,
): PartialException {
  let top = first;
  for (let index = first - 1; index >= Math.max(thread, first - 100); index--) {
    const line = (lines[index] ?? '').replace(/^Exception in thread "[^"]{0,200}" /, '');
    if (/^[\w$.]{1,300}(?:Exception|Error|Throwable|Failure)\b(?::|$)/.test(line)) {
      top = index;
      break;
    }
  }
  if (top === first && first > 0 && (lines[first - 1] ?? '').trim() !== '') top = first - 1;
  const [head = '', ...rest] = lines.slice(top, first);
  const draft = begin(chain, head.replace(/^Exception in thread "[^"]{0,200}" /, '').trim());
  draft.value.push(...rest);
  return draft;
}

function begin(list: PartialException[], headline: string): PartialException {
  const draft = headedException(headline);
  if (list.length < PARSE_LIMITS.exceptions) list.push(draft);
  return draft;
}

/** Lines of a message between a `Caused by:` and its first frame. */
function addMessage(draft: PartialException, text: string): void {
  if (draft.value.length < 100 && !/^(?:Caused by|Suppressed): |^\.\.\. \d/.test(text))
    draft.value.push(text);
}

/** Frames restored in one text: a few characters could restore thousands. */
const MAX_RESTORED = 500;

/** Returns how many frames it restored, at most `most`. */
function restore(
  cause: PartialException,
  effect: PartialException | undefined,
  text: string,
  most: number,
): number {
  const shared = positive(/^\.\.\. (\d{1,6}) (?:more|common frames omitted)$/.exec(text)?.[1]);
  if (shared === null || effect === undefined) return 0;
  const room = Math.min(most, PARSE_LIMITS.frames - cause.frames.length);
  if (room <= 0) return 0;
  const from = Math.max(0, effect.frames.length - shared);
  const restored = effect.frames.slice(from, from + room);
  cause.frames.push(...restored);
  return restored.length;
}

function asSuppressed(draft: PartialException): CrashException {
  return { ...finishException(draft, 'newest'), mechanism: { type: 'suppressed' } };
}
