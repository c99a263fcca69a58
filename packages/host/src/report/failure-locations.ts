/** A place that a failed test names. */
export interface Location {
  readonly file: string;
  readonly number: number;
  readonly name: string | null;
  /** The whole line. */
  readonly line: string;
}

const FILE = String.raw`((?:[A-Za-z]:)?[^\s:()'"<>]{1,300}\.[A-Za-z]\w{0,9}):(\d{1,7})(?::\d{1,6})?`;
/** `src/pay.py:2: ZeroDivisionError`, `cart_test.go:12: got 1`, `cart_test.cc:12`, `/app/CartTest.php:12`. */
const LINE = new RegExp(`^\\s*${FILE}(?::?\\s*$|:\\s+(.*)$)`);
/** Vitest: ` ❯ total src/cart.ts:2:18`. */
const ARROW = new RegExp(`^\\s*❯\\s+(?:(\\S{1,200})\\s+)?${FILE}\\s*$`);
/** A function in the source that pytest shows above a place. */
const DEFINED = /^[>\s]*(?:async\s+)?def\s+(\w{1,200})\s*\(/;
/** pytest marks the lines of the error. */
const ERROR = /^E\s{1,20}(\S.*)$/;
const MOST = 100;

/**
 * The places in the text of a failed test, oldest call first, and what it says about the failure. pytest writes the oldest call first, the
 * others the newest.
 */
export function locationsIn(text: string): {
  readonly frames: readonly Location[];
  readonly said: string | null;
} {
  const frames: Location[] = [];
  let defined: string | null = null;
  let error: string | null = null;
  let rest: string | null = null;
  for (const line of text.split('\n')) {
    defined = DEFINED.exec(line)?.[1] ?? defined;
    error ??= ERROR.exec(line)?.[1] ?? null;
    if (line.length > 2_000 || frames.length === MOST) continue;
    const [, called, shown, at] = ARROW.exec(line) ?? [];
    const [, file = shown, number = at, after = ''] = LINE.exec(line) ?? [];
    if (file === undefined || number === undefined) continue;
    const [, inside] = /^in (\w{1,200})/.exec(after) ?? [];
    const python = file.endsWith('.py');
    const name = called ?? inside ?? (python ? defined : null);
    frames.push({ file, number: Number(number), name, line: line.trim() });
    if (after !== '' && inside === undefined) rest = after;
    defined = null;
  }
  const oldestFirst = frames.some(({ file }) => file.endsWith('.py'));
  return { frames: oldestFirst ? frames : frames.reverse(), said: error ?? rest };
}

/** A line that is only a place. */
export function isPlace(line: string): boolean {
  const [, , , after = ''] = LINE.exec(line) ?? [null, '', '', '?'];
  return after === '' || ARROW.test(line);
}
