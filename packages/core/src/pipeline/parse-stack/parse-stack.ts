import type { CrashException } from '../../domain/event.js';
import { guessInApp } from '../normalise/in-app.js';
import { parseDotnet } from './dotnet.js';
import { parseGo } from './go.js';
import { parseJava } from './java.js';
import { parseJavaScript } from './javascript.js';
import { parsePhp } from './php.js';
import { parsePython } from './python.js';
import { parseRuby } from './ruby.js';
import { type StackParser, splitLines } from './text.js';

export interface ParsedStack {
  /** The given hint, or the platform detected from the text; `other` if nothing was recognised. */
  readonly platform: string;
  /** Last raised last, frames oldest first, each with a guess of `in_app`. Empty if nothing was recognised. */
  readonly exceptions: readonly CrashException[];
}

/** In order of precedence for ties; the first patterns are the least ambiguous. */
const PARSERS: readonly { readonly platform: string; readonly parse: StackParser; readonly sign: RegExp }[] =
  [
    { platform: 'python', parse: parsePython, sign: /^[|\s]{0,100}File "[^"]{1,1000}", line \d/ },
    {
      platform: 'go',
      parse: parseGo,
      sign: /^goroutine \d{1,12}\b|^\S{1,1000}\.(?:go|s):\d{1,9}(?: \+0x|$)/,
    },
    {
      platform: 'php',
      parse: parsePhp,
      sign: /^#\d{1,6} (?:[^(]{1,1000}\(\d{1,9}\): |\[internal function\]|\{main\})/,
    },
    {
      platform: 'java',
      parse: parseJava,
      sign: /^at [^\s(]{1,500}\((?:[^():]{1,200}\.(?:java|kt|kts|scala|groovy|clj)(?::\d{1,9})?|SourceFile(?::\d+)?|Unknown Source|Native Method)\)/,
    },
    {
      platform: 'csharp',
      parse: parseDotnet,
      sign: /^at [\w.`+<>[\],|]{1,500}(?:\([^)]{0,500}\)| \([^)]{0,500}\) \[0x[0-9a-f]{1,16}\])(?: in .{1,1500}:(?:line )?\d{1,9})?$|^---> /,
    },
    {
      platform: 'ruby',
      parse: parseRuby,
      sign: /^(?:\d{1,5}: )?(?:from )?(?:[A-Za-z]:)?[^:]{1,1000}:\d{1,9}:in [`']/,
    },
    {
      platform: 'javascript',
      parse: parseJavaScript,
      sign: /^at (?:[^(]{1,500} \()?[^()\s]{1,1500}:\d{1,9}:\d{1,9}\)?(?: \{)?$|^[^@\s]{0,500}@\S{1,1500}:\d{1,9}:\d{1,9}$/,
    },
  ];
const SAME: Readonly<Record<string, string>> = { node: 'javascript', android: 'java', dotnet: 'csharp' };
/** Lines read to detect the platform. */
const SAMPLE = 2000;

/**
 * Parses a stack printed by Node, browsers, Python, Java, Go, Ruby, PHP or .NET. Linear in the text; lines are cut at
 * 2,000 characters. The hint is tried first; if it does not match, the text decides.
 */
export function parseStack(text: string, platformHint?: string): ParsedStack {
  const lines = splitLines(text);
  const hinted = platformHint === undefined ? undefined : (SAME[platformHint] ?? platformHint);
  const found = [...PARSERS]
    .map((parser) => ({
      ...parser,
      score: parser.platform === hinted ? Infinity : count(lines, parser.sign),
    }))
    .sort((one, other) => other.score - one.score);
  for (const { platform, parse, score } of found) {
    if (score === 0 && !(platform === 'javascript')) continue;
    const exceptions = parse(lines);
    if (exceptions.length === 0) continue;
    const name = platform === hinted ? (platformHint ?? platform) : named(platform, exceptions);
    return { platform: name, exceptions: exceptions.map((exception) => withGuess(exception, name)) };
  }
  return { platform: platformHint ?? 'other', exceptions: [] };
}

function count(lines: readonly string[], sign: RegExp): number {
  let score = 0;
  for (const line of lines.slice(0, SAMPLE)) if (sign.test(line.trim())) score++;
  return score;
}

/** JavaScript outside a browser has files instead of pages. */
function named(platform: string, exceptions: readonly CrashException[]): string {
  if (platform !== 'javascript') return platform;
  const files = exceptions.flatMap(({ frames }) => frames.map(({ file }) => file ?? ''));
  const paged = files.some((file) => /^(?:https?|blob|[a-z-]+-extension):/.test(file));
  const filed = files.some((file) => /^(?:\/|[A-Za-z]:[\\/]|node:)/.test(file));
  return filed && !paged ? 'node' : 'javascript';
}

function withGuess(exception: CrashException, platform: string): CrashException {
  const frames = exception.frames.map((frame) => ({ ...frame, in_app: guessInApp(frame, platform) }));
  return { ...exception, frames };
}
