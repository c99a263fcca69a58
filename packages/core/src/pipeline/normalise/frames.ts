import type { CrashException, Frame } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { debugIdOf } from './debug-ids.js';
import { guessInApp } from './in-app.js';
import { asBoolean, asList, asPosition, asText, firstText, type Json, objectsOf } from './read.js';
import { BUDGETS, TEXT_LIMITS, type Trimmer } from './trim.js';

/** Maximum frames of a stack; those at the crashed end are kept. */
const FRAME_LIMIT = 250;
/** The number of newest frames that keep their variables and source context. */
const DETAILED = 50;
const CONTEXT_LINES = 10;

/**
 * The frames of Sentry's form (`filename`, `lineno`, `colno`) and of the short form (`file`, `line`, `column`), oldest
 * first. Frames without a place are dropped; beyond the limit, the oldest are dropped.
 */
export function framesOf(list: Json, trim: Trimmer, path: string): readonly Frame[] {
  const given = objectsOf(asList(list));
  return keepCrashedEnd(given, trim, path).flatMap((item, index, kept) => {
    const frame = frameOf(item, kept.length - index <= DETAILED, trim, `${path}[${index}]`);
    return frame === null ? [] : [frame];
  });
}

export function keepCrashedEnd<T>(frames: readonly T[], trim: Trimmer, path: string): readonly T[] {
  if (frames.length <= FRAME_LIMIT) return frames;
  trim.note(`${path}: the newest ${FRAME_LIMIT} of ${frames.length} were kept`);
  return frames.slice(-FRAME_LIMIT);
}

/** Maximum frames of all exceptions together. */
const CHAIN_LIMIT = 1_000;

/** The chain with at most {@link CHAIN_LIMIT} frames; those of the exceptions raised last are kept. */
export function keepNewest(chain: readonly CrashException[], trim: Trimmer): readonly CrashException[] {
  const count = chain.reduce((sum, { frames }) => sum + frames.length, 0);
  if (count <= CHAIN_LIMIT) return chain;
  trim.note(`stack: ${CHAIN_LIMIT} of ${count} frames of all exceptions were kept`);
  let room: number = CHAIN_LIMIT;
  const kept = [...chain].reverse().map((item) => {
    const frames = room > 0 ? item.frames.slice(-room) : [];
    room -= frames.length;
    return { ...item, frames };
  });
  return kept.reverse();
}

function frameOf(item: JsonObject, detailed: boolean, trim: Trimmer, path: string): Frame | null {
  const text = (limit: number, name: string, ...others: string[]) =>
    trim.text(firstText(item, name, ...others), limit, path, name);
  const absPath = text(TEXT_LIMITS.file, 'abs_path');
  const file = text(TEXT_LIMITS.file, 'filename', 'file', 'file_name') ?? pathOf(absPath);
  const name = text(TEXT_LIMITS.function, 'function', 'raw_function', 'method');
  const debugId = debugIdOf(item.debug_id);
  const frame: Frame = {
    file,
    abs_path: absPath === file ? null : absPath,
    module: text(TEXT_LIMITS.module, 'module'),
    package: text(TEXT_LIMITS.file, 'package'),
    function: name === '?' ? null : name,
    line: asPosition(item.lineno) ?? asPosition(item.line),
    column: asPosition(item.colno) ?? asPosition(item.column),
    in_app: asBoolean(item.in_app),
    platform: text(TEXT_LIMITS.name, 'platform')?.toLowerCase() ?? null,
    context_line: text(TEXT_LIMITS.contextLine, 'context_line'),
    pre_context: detailed ? lines(item.pre_context, trim, path).slice(-CONTEXT_LINES) : [],
    post_context: detailed ? lines(item.post_context, trim, path).slice(0, CONTEXT_LINES) : [],
    vars: detailed ? trim.object(item.vars, BUDGETS.vars, `${path}.vars`) : null,
    instruction_addr: text(TEXT_LIMITS.name, 'instruction_addr'),
    ...(debugId === null ? {} : { debug_id: debugId }),
  };
  const place = file ?? frame.function ?? frame.module ?? frame.package ?? frame.instruction_addr;
  return place === null ? null : frame;
}

/** The path of a URL; anything else unchanged. */
function pathOf(absPath: string | null): string | null {
  return absPath === null
    ? null
    : (/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#]*(\/[^?#]+)/i.exec(absPath)?.[1] ?? absPath);
}

function lines(value: Json, trim: Trimmer, path: string): readonly string[] {
  return asList(value)
    .slice(0, 100)
    .map(
      (line) =>
        trim.text(typeof line === 'string' ? line : (asText(line) ?? ''), TEXT_LIMITS.contextLine, path) ??
        '',
    );
}

/** Fills in what the sender did not set. */
export function withInApp(frame: Frame, platform: string): Frame {
  if (frame.in_app !== null) return frame;
  return { ...frame, in_app: guessInApp(frame, frame.platform ?? platform) };
}
