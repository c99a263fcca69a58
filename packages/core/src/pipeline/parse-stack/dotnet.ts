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
 * .NET's `Exception.ToString()`, newest frame first. Inner exceptions are nested: their headline follows `--->`, their
 * frames come first and end with a marker, so the exception that was raised last ends last.
 */
export function parseDotnet(lines: readonly string[]): readonly CrashException[] {
  const open: PartialException[] = [];
  const done: PartialException[] = [];
  let repeated = false;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text.startsWith('---> (Inner Exception #')) repeated = true;
    if (repeated) {
      if (text.endsWith('<---')) repeated = false;
      continue;
    }
    const frame = readFrame(text);
    if (frame !== null) {
      if (open.length === 0) open.push(headed(lines[index - 1] ?? ''));
      open.at(-1)?.frames.push(frame);
    } else if (text.startsWith('---> ')) {
      if (open.length === 0) open.push(headed(lines[index - 1] ?? ''));
      if (open.length < PARSE_LIMITS.exceptions) open.push(headed(text.slice(5)));
    } else if (text.includes(' ---> ') && open.length === 0) {
      for (const part of text.split(' ---> ').slice(0, PARSE_LIMITS.exceptions)) open.push(headed(part));
    } else if (text.startsWith('--- End of inner exception stack trace')) {
      const inner = open.length > 1 ? open.pop() : undefined;
      if (inner !== undefined) done.push(inner);
    }
  }
  const chain = [...done, ...open.reverse()].filter(({ frames }) => frames.length > 0);
  return chain.slice(-PARSE_LIMITS.exceptions).map((draft) => finishException(draft, 'newest'));
}

/**
 * `at Acme.Cart.Total(Order o) in /src/Cart.cs:line 12`; without symbols the place is missing. Mono writes an offset
 * before `in`, and `<hash>:0` for an unknown place.
 */
function readFrame(line: string): Frame | null {
  if (!line.startsWith('at ')) return null;
  const text = line.replace(/\) \[0x[0-9a-f]{1,16}\](?: in <[^>]{0,100}>:0)?(?= in |$)/, ')');
  const close = text.indexOf(')');
  const open = text.indexOf('(');
  if (open < 0 || close < open) return null;
  const name = text.slice(3, open).trim();
  const end = text.lastIndexOf(') in ');
  const place = end < 0 ? null : /^(.{1,1800}):(?:line )?(\d{1,9})$/.exec(text.slice(end + 5));
  if (end < 0 && !text.endsWith(')')) return null;
  const generic = name.indexOf('[');
  const bare = generic > 0 ? name.slice(0, generic) : name;
  const dot =
    bare.endsWith('..ctor') || bare.endsWith('..cctor') ? bare.lastIndexOf('..') : bare.lastIndexOf('.');
  if (dot <= 0 || /\s/.test(bare)) return null;
  return makeFrame({
    module: bare.slice(0, dot),
    function: bare.slice(dot + 1),
    file: place?.[1] ?? null,
    line: positive(place?.[2]),
  });
}

function headed(line: string): PartialException {
  return headedException(line.trim().replace(/^Unhandled [Ee]xception[.:] /, ''));
}
