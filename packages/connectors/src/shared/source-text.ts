/** Beyond these limits a file's lines are omitted; its blame is still returned. */
const MAX_LINES = 20_000;
const MAX_TEXT = 2 * 1024 * 1024;

/** The lines of a source file, without their ends; `null` if it is not text, or too large. */
export function sourceLines(text: string | null | undefined): readonly string[] | null {
  if (typeof text !== 'string' || text.length > MAX_TEXT) return null;
  if (text === '') return [];
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  return lines.length > MAX_LINES ? null : lines;
}

/** Full SHAs in `.git-blame-ignore-revs`. Comments and abbreviated SHAs are ignored, as in git. */
export function ignoredRevs(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(line));
}
