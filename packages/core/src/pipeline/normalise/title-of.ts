import type { CrashException, Event } from '../../domain/event.js';

const TITLE_CHARS = 200;
/** Types that only say that there was an error. */
const NAMELESS =
  /^\*?(?:errors\.(?:errorString|fundamental|withStack|withMessage|joinError)|fmt\.wrapErrors?)$/;

export function isNamelessType(type: string): boolean {
  return NAMELESS.test(type);
}

/** What happened, in one line of at most 200 characters: `TypeError: x is undefined`. Untrusted text. */
export function titleOf(event: Event): string {
  const last = event.exceptions.at(-1);
  const type = last === undefined || last.synthetic || isNamelessType(last.type ?? '') ? null : last.type;
  const value = firstLine(last?.value ?? null) ?? firstLine(event.message);
  const named =
    type !== null && value !== null ? (value.startsWith(`${type}: `) ? value : `${type}: ${value}`) : null;
  const title = named ?? type ?? value ?? firstLine(last?.type ?? null) ?? crashedIn(last);
  return cut(firstLine(title ?? event.transaction) ?? 'Unknown crash');
}

/** Native clients may report a crashed thread without any exception. */
function crashedIn(exception: CrashException | undefined): string | null {
  const frame = exception?.frames.findLast((one) => one.function !== null);
  return frame ? `Crash in ${frame.function}` : null;
}

/** The first non-blank line, with white space and control characters collapsed to single spaces. */
function firstLine(text: string | null): string | null {
  for (const line of (text ?? '').slice(0, 4000).split(/[\n\r\u2028\u2029]/)) {
    const plain = line.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
    if (plain !== '') return plain;
  }
  return null;
}

function cut(title: string): string {
  const points = [...title];
  return points.length > TITLE_CHARS || title.length > TITLE_CHARS ? `${cutUnits(points)}…` : title;
}

/** At most 199 UTF-16 units, without splitting a code point. */
function cutUnits(points: readonly string[]): string {
  let text = '';
  for (const point of points) {
    if (text.length + point.length > TITLE_CHARS - 1) break;
    text += point;
  }
  return text.trimEnd();
}
