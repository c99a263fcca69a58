import type { CrashException, Frame } from '../../domain/event.js';
import { finishException, makeFrame, partialException, positive } from './text.js';

const HEAD = /^(panic|fatal error): |http: panic serving [^ ]{1,100}: /;

/**
 * Go's panics and fatal errors with the trace of the first goroutine, which is the one that failed; newest frame
 * first.
 */
export function parseGo(lines: readonly string[]): readonly CrashException[] {
  const goroutine = lines.findIndex((line) => /^goroutine \d{1,12}\b.{0,200}:$/.test(line.trimEnd()));
  if (goroutine < 0) return [];
  const draft = partialException();
  const above = lines.slice(Math.max(0, goroutine - 100), goroutine);
  const head = above.findIndex((line) => HEAD.test(line));
  if (head >= 0) {
    const [line = '', ...rest] = above.slice(head);
    const headline = HEAD.exec(line);
    draft.type = headline?.[1] === 'fatal error' ? 'fatal error' : 'panic';
    draft.value = [line.slice((headline?.index ?? 0) + (headline?.[0].length ?? 0))];
    draft.value.push(...rest.filter((text) => !text.startsWith('[signal ')));
    draft.value = draft.value.map((text) => text.replace(/ \[recovered(?:, repanicked)?\]$/, ''));
  }
  for (let index = goroutine + 1; index < lines.length; index++) {
    const call = lines[index] ?? '';
    if (call.trim() === '' || call.startsWith('created by ')) break;
    const below = lines[index + 1] ?? '';
    const place = /^(.{1,1900}):(\d{1,9})(?: \+0x[0-9a-f]{1,16})?$/.exec(below.trimStart());
    if (place === null || !/^\s/.test(below)) continue;
    draft.frames.push(goFrame(call, place[1] ?? '', positive(place[2])));
    index++;
  }
  return draft.frames.length === 0 ? [] : [finishException(draft, 'newest')];
}

/** `github.com/acme/shop.(*Cart).Total(0xc000, {0x1, 0x2})`: the package ends at the first dot after the last slash. */
function goFrame(call: string, file: string, line: number | null): Frame {
  const bare = call.endsWith(')') ? call.slice(0, argumentsAt(call)) : call.replace(/\(\.\.\.\)$/, '');
  const dot = bare.indexOf('.', bare.lastIndexOf('/') + 1);
  return makeFrame({
    module: dot > 0 ? bare.slice(0, dot) : null,
    function: dot > 0 ? bare.slice(dot + 1) : bare,
    file: file.trim(),
    line,
  });
}

/** Where the last group of parentheses opens; arguments nest in braces, never in parentheses. */
function argumentsAt(call: string): number {
  const open = call.lastIndexOf('(');
  return open > 0 ? open : call.length;
}
