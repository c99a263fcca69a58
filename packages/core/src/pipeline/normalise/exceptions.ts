import type { CrashException, Frame } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { parseStack } from '../parse-stack/parse-stack.js';
import { makeException } from '../parse-stack/text.js';
import { debugIdOf } from './debug-ids.js';
import { guessInApp } from './in-app.js';
import {
  asBoolean,
  asList,
  asObject,
  asPosition,
  asText,
  asValues,
  firstText,
  type Json,
  objectsOf,
} from './read.js';
import { BUDGETS, TEXT_LIMITS, type Trimmer } from './trim.js';

/** Maximum exceptions of a chain; those raised last are kept. */
const EXCEPTION_LIMIT = 50;

export interface Raised {
  readonly exceptions: readonly CrashException[];
  readonly platform: string;
  /** The raw text if nothing could be parsed from it. */
  readonly unread: string | null;
}

/**
 * The exceptions of a crash in any form, last raised last. Frames come from the exceptions themselves; if these have
 * none, from the short form, the raw text or the crashed thread, and are assigned to the exception that was raised
 * last.
 */
export function exceptionsOf(crash: JsonObject, message: string | null, trim: Trimmer): Raised {
  const reported = reportedExceptions(crash, trim);
  const reportedPlatform = knownPlatform(asText(crash.platform));
  if (reported.some(({ frames }) => frames.length > 0)) return finish(reported, reportedPlatform, null, trim);

  const headline = reported.at(-1) ?? headlineOf(crash, message, trim);
  const loose = looseFrames(crash, trim);
  if (loose.length > 0)
    return finish([...reported.slice(0, -1), { ...headline, frames: loose }], reportedPlatform, null, trim);

  const raw = rawStack(crash);
  if (raw !== null) {
    const parsed = parseStack(bothEnds(raw, trim), reportedPlatform ?? undefined);
    const last = parsed.exceptions.at(-1);
    if (last !== undefined) {
      const merged = { ...last, ...named(headline, last) };
      const chain = [...parsed.exceptions.slice(0, -1), merged].map((item) => trimParsed(item, trim));
      return finish(
        chain.slice(-EXCEPTION_LIMIT),
        reportedPlatform ?? knownPlatform(parsed.platform),
        null,
        trim,
      );
    }
  }
  const threaded = crashedThread(crash, trim);
  if (threaded.length > 0)
    return finish([...reported.slice(0, -1), { ...headline, frames: threaded }], reportedPlatform, raw, trim);
  return finish(reported, reportedPlatform, raw, trim);
}

function finish(
  reported: readonly CrashException[],
  reportedPlatform: string | null,
  unread: string | null,
  trim: Trimmer,
): Raised {
  const chain = keepNewest(reported, trim);
  const platform = reportedPlatform ?? platformOfFrames(chain.flatMap(({ frames }) => frames)) ?? 'other';
  const exceptions = chain.map((item) => ({
    ...item,
    frames: item.frames.map((frame) => withInApp(frame, platform)),
  }));
  return { exceptions, platform, unread };
}

function reportedExceptions(crash: JsonObject, trim: Trimmer): readonly CrashException[] {
  const values = asValues(crash.exception ?? crash['sentry.interfaces.Exception']);
  const kept = values.slice(-EXCEPTION_LIMIT);
  if (kept.length < values.length)
    trim.note(`exception: the last ${kept.length} of ${values.length} were kept`);
  return kept.flatMap((value, index) => {
    const exception = asObject(value);
    if (exception === null) return [];
    const normalised = exceptionOf(exception, trim, `exception.values[${index}]`);
    const { type, value: message, frames, mechanism } = normalised;
    return type === null && message === null && frames.length === 0 && mechanism === null ? [] : [normalised];
  });
}

function exceptionOf(exception: JsonObject, trim: Trimmer, path: string): CrashException {
  const mechanism = asObject(exception.mechanism);
  const stack = asObject(exception.stacktrace) ?? asObject(exception.raw_stacktrace);
  return {
    type: trim.text(asText(exception.type), TEXT_LIMITS.type, `${path}.type`),
    value: trim.text(valueText(exception.value), TEXT_LIMITS.message, `${path}.value`),
    module: trim.text(asText(exception.module), TEXT_LIMITS.module, `${path}.module`),
    handled: asBoolean(mechanism?.handled),
    synthetic: mechanism?.synthetic === true,
    mechanism: trim.object(mechanism, BUDGETS.mechanism, `${path}.mechanism`),
    frames: framesOf(stack?.frames, trim, `${path}.stacktrace.frames`),
  };
}

/** Some SDKs send a thrown value unchanged. */
function valueText(value: Json): string | null {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'boolean' ? String(value) : asText(value);
  const object = asObject(value);
  const message = object === null ? null : firstText(object, 'message', 'error', 'reason');
  if (message !== null) return message;
  return Array.isArray(value)
    ? '[list]'
    : `[object with ${Object.keys(value).slice(0, 10).join(', ') || 'no keys'}]`;
}

/** `TypeError: x is undefined`: the message of the short form. */
const TYPED =
  /^(?:Uncaught (?:\(in promise\) )?)?([A-Za-z_$][\w$.]{0,200}(?:Error|Exception|Fault|Failure|Panic|Interrupt))(?: \[\w{1,64}\])?: ?/;

function headlineOf(crash: JsonObject, message: string | null, trim: Trimmer): CrashException {
  const named = firstText(crash, 'exception_type', 'error_type', 'exception_class', 'error_class');
  const typed = TYPED.exec(message ?? '');
  const value = typed === null ? message : (message ?? '').slice(typed[0].length);
  return makeException({
    type: trim.text(named ?? typed?.[1] ?? null, TEXT_LIMITS.type, 'type'),
    value: trim.text(value === '' ? null : value, TEXT_LIMITS.message, 'message'),
  });
}

/** The sender's own fields take precedence over the parsed text, except for a bare message. */
function named(headline: CrashException, parsed: CrashException): Partial<CrashException> {
  if (headline.type === null && parsed.type !== null) return {};
  const { type, value, module, handled, synthetic, mechanism } = headline;
  return {
    type: type ?? parsed.type,
    value: value ?? parsed.value,
    module: module ?? parsed.module,
    handled,
    synthetic,
    mechanism: mechanism ?? parsed.mechanism,
  };
}

function looseFrames(crash: JsonObject, trim: Trimmer): readonly Frame[] {
  for (const name of ['stack_trace', 'stacktrace', 'sentry.interfaces.Stacktrace']) {
    const holder = crash[name];
    const frames = framesOf(
      Array.isArray(holder) ? holder : asObject(holder)?.frames,
      trim,
      `${name}.frames`,
    );
    if (frames.length > 0) return frames;
  }
  return [];
}

function rawStack(crash: JsonObject): string | null {
  const last = asObject(asValues(crash.exception).at(-1));
  const places = [crash.stack, crash.stack_trace, crash.stacktrace, last?.stack, last?.stacktrace];
  return places.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? null;
}

/** Characters of raw text that are parsed: far more than the stored frames need. */
const RAW_CHARS = 262_144;

/** Platforms print the crashed end first or last, so the middle is cut. */
function bothEnds(raw: string, trim: Trimmer): string {
  if (raw.length <= RAW_CHARS) return raw;
  trim.note(`stack: the first and the last ${RAW_CHARS / 2} of ${raw.length} characters were read`);
  const first = raw.lastIndexOf('\n', RAW_CHARS / 2);
  const last = raw.indexOf('\n', raw.length - RAW_CHARS / 2);
  const head = raw.slice(0, first < 0 ? RAW_CHARS / 2 : first);
  return last < 0 ? head : head + raw.slice(last);
}

/** The crashed thread, or the thread that was current when the report was made. */
function crashedThread(crash: JsonObject, trim: Trimmer): readonly Frame[] {
  const threads = objectsOf(asValues(crash.threads ?? crash['sentry.interfaces.Threads']));
  const thread =
    threads.find(({ crashed }) => crashed === true) ?? threads.find(({ current }) => current === true);
  return framesOf(asObject(thread?.stacktrace)?.frames, trim, 'threads.stacktrace.frames');
}

function trimParsed(exception: CrashException, trim: Trimmer): CrashException {
  return {
    ...exception,
    type: trim.text(exception.type, TEXT_LIMITS.type, 'stack: type'),
    value: trim.text(exception.value, TEXT_LIMITS.message, 'stack: value'),
    module: trim.text(exception.module, TEXT_LIMITS.module, 'stack: module'),
    frames: keepCrashedEnd(exception.frames, trim, 'stack: frames').map((frame) => ({
      ...frame,
      file: trim.text(frame.file, TEXT_LIMITS.file, 'stack: file'),
      function: trim.text(frame.function, TEXT_LIMITS.function, 'stack: function'),
      module: trim.text(frame.module, TEXT_LIMITS.module, 'stack: module'),
      context_line: trim.text(frame.context_line, TEXT_LIMITS.contextLine, 'stack: source line'),
    })),
  };
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  tsx: 'javascript',
  vue: 'javascript',
  svelte: 'javascript',
  java: 'java',
  kt: 'java',
  scala: 'java',
  go: 'go',
  rb: 'ruby',
  php: 'php',
  cs: 'csharp',
  rs: 'native',
  c: 'native',
  cc: 'native',
  cpp: 'native',
  cxx: 'native',
  h: 'native',
  hpp: 'native',
  swift: 'cocoa',
  m: 'cocoa',
};
/** Senders' names for platforms that are named differently here. */
const ALIASES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  'node.js': 'node',
  js: 'javascript',
  browser: 'javascript',
  typescript: 'javascript',
  'c#': 'csharp',
  dotnet: 'csharp',
  '.net': 'csharp',
  golang: 'go',
  py: 'python',
  kotlin: 'java',
  jvm: 'java',
};

/** The sender's platform, lower case; `null` if missing or `other`. */
function knownPlatform(reported: string | null): string | null {
  const name = reported?.trim().toLowerCase().slice(0, 64) ?? '';
  if (name === '' || name === 'other') return null;
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/** The platform that a stack's files indicate, newest frame first; `null` if none does. */
function platformOfFrames(frames: readonly Pick<Frame, 'file'>[]): string | null {
  for (const { file } of frames.slice(-50).reverse()) {
    const extension = /\.([a-z]{1,6})(?:[?#].*)?$/i.exec((file ?? '').slice(-200))?.[1]?.toLowerCase() ?? '';
    const platform = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
    if (platform === 'javascript') return /^(?:https?|blob):/.test(file ?? '') ? 'javascript' : 'node';
    if (platform !== undefined) return platform;
  }
  return null;
}

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

function keepCrashedEnd<T>(frames: readonly T[], trim: Trimmer, path: string): readonly T[] {
  if (frames.length <= FRAME_LIMIT) return frames;
  trim.note(`${path}: the newest ${FRAME_LIMIT} of ${frames.length} were kept`);
  return frames.slice(-FRAME_LIMIT);
}

/** Maximum frames of all exceptions together. */
const CHAIN_LIMIT = 1_000;

/** The chain with at most {@link CHAIN_LIMIT} frames; those of the exceptions raised last are kept. */
function keepNewest(chain: readonly CrashException[], trim: Trimmer): readonly CrashException[] {
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
