import type { NamedFix } from '@culprit/connectors/git';
import type { JsonObject } from '@culprit/core';
import type { Diff } from '@culprit/core/connector';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';
import { kindOf } from '@culprit/core/internal/pipeline/rank/file-kind';
import type { DiffHunk } from '@culprit/core/internal/ports/code-host';

/** How a case was made: from the stack trace in the message of the fix, or from the lines that the fix or revert changed. */
export type CaseSource = 'trace' | 'fix' | 'revert';

export interface MadeCrash {
  readonly source: CaseSource;
  readonly platform: string;
  readonly exception: JsonObject;
}

const PLATFORMS: Readonly<Record<string, string>> = {
  ...{
    py: 'python',
    rb: 'ruby',
    java: 'java',
    kt: 'java',
    scala: 'java',
    groovy: 'java',
    go: 'go',
    php: 'php',
  },
  ...{ js: 'node', mjs: 'node', cjs: 'node', jsx: 'node', ts: 'node', tsx: 'node', mts: 'node', vue: 'node' },
  ...{ cs: 'csharp', vb: 'csharp', fs: 'csharp', rs: 'rust', swift: 'native', m: 'native', mm: 'native' },
  ...{ c: 'native', h: 'native', cc: 'native', cpp: 'native', cxx: 'native', hpp: 'native', hh: 'native' },
};
/** Places of a fix, the file with the most changes first. */
const MOST_PLACES = 5;

/**
 * The crash that a fix repaired, as well as it can be told: the quoted trace with its error; else the changed lines of code as
 * a stack without an error text, because the title of the fix says more than a crash does. `null`: no code was changed.
 */
export function crashOfFix({ kind, message }: NamedFix, diff: Diff): MadeCrash | null {
  const quoted = parseStack(message, 'other');
  const exception = quoted.exceptions.at(-1);
  if (exception !== undefined && exception.frames.length > 0) {
    const { type, value, frames } = exception;
    const shown = frames.map(({ file, line, function: name }) => ({
      ...{ filename: file, lineno: line, in_app: true },
      ...(name === null ? {} : { function: name }),
    }));
    return {
      source: 'trace',
      platform: quoted.platform,
      exception: { type, value, stacktrace: { frames: shown as unknown as JsonObject[] } },
    };
  }
  const places = changedPlaces(diff);
  const first = places[0];
  if (first === undefined) return null;
  const frames = places.map(({ path, line }) => ({ filename: path, lineno: line, in_app: true })).reverse();
  return {
    source: kind,
    platform: platformOf(first.path) ?? 'other',
    exception: { type: 'Error', value: '', stacktrace: { frames } },
  };
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** The first changed line of each hunk in code, as numbered before the fix. */
function changedPlaces(diff: Diff): readonly Place[] {
  return diff.files
    .filter(({ status, old_path }) => status === 'modified' && isCode(old_path))
    .map(({ old_path, hunks }) => ({ path: old_path, hunks, changed: hunks.reduce(sumChanged, 0) }))
    .sort((a, b) => b.changed - a.changed)
    .flatMap(({ path, hunks }) => hunks.map((hunk) => ({ path, line: firstChanged(hunk) })))
    .slice(0, MOST_PLACES);
}

function isCode(path: string): boolean {
  return kindOf(path) === 'code' && platformOf(path) !== null;
}

function platformOf(path: string): string | null {
  return PLATFORMS[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? null;
}

function sumChanged(sum: number, { lines }: DiffHunk): number {
  return sum + lines.filter((line) => !line.startsWith(' ')).length;
}

/** The first removed line; if lines were only added, the line before them. */
function firstChanged({ old_start, lines }: DiffHunk): number {
  const removed = lines.findIndex((line) => line.startsWith('-'));
  const added = lines.findIndex((line) => line.startsWith('+'));
  const at = removed >= 0 ? removed : added - 1;
  const before = lines.slice(0, Math.max(0, at)).filter((line) => !line.startsWith('+')).length;
  return Math.max(1, old_start + before);
}
