import type { Frame } from '../../domain/event.js';
import { makeFrame, positive } from './text.js';

/** One line of a stack of V8 (`    at f (file:1:2)`), SpiderMonkey or JavaScriptCore (`f@file:1:2`); else `null`. */
export function readJavaScriptFrame(line: string): Frame | null {
  const trimmed = line.trim();
  return trimmed.startsWith('at ') ? readV8(trimmed.slice(3)) : readAt(trimmed);
}

interface SourcePosition {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** `file:line:column` or `file:line`. */
function readPlace(text: string): SourcePosition | null {
  const match = /:(\d{1,9})(?::(\d{1,9}))?$/.exec(text);
  if (match === null || match.index === 0) return null;
  return { file: text.slice(0, match.index), line: positive(match[1]), column: positive(match[2]) };
}

function readV8(text: string): Frame | null {
  const body = text.endsWith(' {') ? text.slice(0, -2) : text;
  const call = body.startsWith('async ') ? body.slice(6) : body;
  if (!call.endsWith(')')) {
    const place = readPlace(call);
    return place === null || !looksLikeFile(place.file) ? null : framed(null, place);
  }
  const open = call.includes(' (eval at ') ? call.indexOf(' (eval at ') : call.lastIndexOf(' (');
  if (open < 0) return call.startsWith('(') ? framed(null, readPlace(call.slice(1, -1))) : null;
  const name = call.slice(0, open);
  const where = call.slice(open + 2, -1);
  if (where.startsWith('eval at ')) return makeFrame({ function: name, file: '<anonymous>' });
  if (where === '<anonymous>' || where === 'native' || /^index \d+$/.test(where)) {
    return makeFrame({ function: name, file: '<anonymous>' });
  }
  const place = readPlace(where);
  return place === null ? null : framed(name, place);
}

/** Excludes prose such as `at 10:30` and the frames of Java and .NET. */
const looksLikeFile = (file: string) =>
  /[/\\]|^node:|^<anonymous>$|\.[cm]?[jt]sx?$/.test(file) && !file.includes(' in ');

function framed(name: string | null, place: SourcePosition | null): Frame | null {
  if (place === null) return null;
  const url = place.file.startsWith('file://') ? place.file : null;
  return makeFrame({
    function: name === null || name === '' || name === '<anonymous>' ? null : name,
    file: url === null ? place.file : url.slice('file://'.length),
    abs_path: url,
    line: place.line,
    column: place.column,
  });
}

function readAt(text: string): Frame | null {
  if (/^(?:(?:global|module|eval) code|\[native code\])$/.test(text))
    return makeFrame({ file: '[native code]' });
  const at = text.lastIndexOf('@');
  if (at < 0) return null;
  const name = text.slice(0, at).replace(/^async\*/, '');
  const where = text.slice(at + 1);
  if (where === '[native code]') return makeFrame({ function: name, file: '[native code]' });
  const evaluated = /^(.{1,1000}?) line \d+ > (?:eval|Function)/.exec(where);
  if (evaluated !== null) return makeFrame({ function: name, file: '<anonymous>' });
  if (
    !/^(?:https?|file|blob|webpack|webpack-internal|app|capacitor|resource|chrome|moz-extension|safari-web-extension):|^\//.test(
      where,
    )
  ) {
    return null;
  }
  return framed(/^(?:global|module|eval) code$/.test(name) ? null : name, readPlace(where));
}
