import type { CrashException, Frame } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { parseStack } from '../parse-stack/parse-stack.js';
import { makeException } from '../parse-stack/text.js';
import { framesOf, keepCrashedEnd, keepNewest, withInApp } from './frames.js';
import { asBoolean, asObject, asText, asValues, firstText, type Json, objectsOf } from './read.js';
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
