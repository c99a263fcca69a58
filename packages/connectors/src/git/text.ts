/** UTF-8 with replacement characters: the port promises text, not bytes. */
export function decode(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** Lines as git counts them: `\n` ends a line, and a `\r` before it belongs to the ending. */
export function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  return whole.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** git's own rule: a NUL in the first 8,000 bytes. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

const MAX_SECONDS = 8_640_000_000_000;

/** Seconds since 1970 as git writes them. Invalid dates become 1970. */
export function isoTime(seconds: string | undefined): string {
  const value = Number(seconds);
  const known = Number.isFinite(value) && Math.abs(value) <= MAX_SECONDS ? value : 0;
  return new Date(known * 1000).toISOString();
}

/** One line for display: no control characters, at most `max` long. */
export function oneLine(text: string, max: number): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max);
}

/** A path inside a repository: relative, without `.`, `..` or empty parts. */
export function isRepositoryPath(path: string): boolean {
  if (path === '' || path.length > 4_096 || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
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

/** Full lower-case SHA-1 or SHA-256. */
export const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
