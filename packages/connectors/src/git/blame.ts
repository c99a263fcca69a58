import type { BlameRange } from '@culprit/core';
import { decode, isoTime } from './text.js';

const HEADER = /^([0-9a-f]{40,64}) \d+ (\d+)(?: (\d+))?$/;
const TAB = 9;
const NEWLINE = 10;

/** Parses `git blame --porcelain`: ascending ranges, adjacent ones of the same commit merged. */
export function parseBlame(output: Buffer): readonly BlameRange[] {
  const times = new Map<string, string>();
  const starts: { readonly line: number; readonly sha: string }[] = [];
  let sha = '';
  for (let from = 0; from < output.length; ) {
    const found = output.indexOf(NEWLINE, from);
    const end = found < 0 ? output.length : found;
    if (output[from] !== TAB) {
      const line = output.toString('latin1', from, end);
      const header = HEADER.exec(line);
      if (header) {
        sha = header[1] ?? '';
        starts.push({ line: Number(header[2]), sha });
      } else if (line.startsWith('committer-time ')) {
        times.set(sha, isoTime(line.slice('committer-time '.length)));
      }
    }
    from = end + 1;
  }
  return mergeLines(starts, times);
}

function mergeLines(
  lines: readonly { readonly line: number; readonly sha: string }[],
  times: ReadonlyMap<string, string>,
): readonly BlameRange[] {
  const ranges: BlameRange[] = [];
  for (const { line, sha } of lines) {
    const last = ranges.at(-1);
    if (last && last.sha === sha && last.end === line - 1) {
      ranges[ranges.length - 1] = { ...last, end: line };
    } else {
      ranges.push({ start: line, end: line, sha, committed_at: times.get(sha) ?? isoTime('0') });
    }
  }
  return ranges;
}

/** Parses `git rev-list --timestamp`: one `<seconds> <sha>` per line. */
export function parseTimestamps(
  output: Buffer,
): readonly { readonly sha: string; readonly committed_at: string }[] {
  return output
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [seconds, sha = ''] = line.split(' ');
      return { sha, committed_at: isoTime(seconds) };
    });
}

const MAX_IGNORED = 10_000;

/** Commit names in a `.git-blame-ignore-revs`, possibly abbreviated, without comments. `cut`: the last line is incomplete. */
export function parseIgnoredNames(text: Buffer, cut: boolean): readonly string[] {
  const names = decode(text)
    .split('\n')
    .slice(0, cut ? -1 : undefined)
    .map((line) => line.replace(/#.*$/, '').trim().toLowerCase())
    .filter((name) => /^[0-9a-f]{7,64}$/.test(name));
  return [...new Set(names)].slice(0, MAX_IGNORED);
}
