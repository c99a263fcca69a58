import type { JsonObject } from '../domain/json.js';
import type { Run } from '../domain/run.js';
import type { RunStory } from '../domain/story.js';
import { UNCHECKED } from './sanitise/budget.js';
import { createSanitiser, type Sanitiser, type SanitiserOptions, sanitiseText } from './sanitise/index.js';

/** The second sanitising pass, for all text that goes into a prompt, a draft or a chat message. */
export type TextScrubber = (text: string) => string;

/** Applies only the built-in rules. */
export const scrubText: TextScrubber = (text) => sanitiseText(text).value;

/** Applies the installation's own rules. */
export function textScrubber(options: SanitiserOptions | undefined): TextScrubber {
  if (options === undefined) return scrubText;
  const { text } = createSanitiser(options);
  return (dirty) => text(dirty).value;
}

/**
 * Scrubs lines in one pass, so a secret that spans several lines is detected. `null` if lines were removed, because the rest
 * no longer matches the line numbers. Cuts lines to `most` characters afterwards: half a secret matches no rule.
 */
export function scrubLines(
  lines: readonly string[],
  scrub: TextScrubber,
  most: number,
): readonly string[] | null {
  const read = lines.map((line) => line.slice(0, READ_CHARS));
  const cleaned = scrub(read.join('\n')).split('\n');
  return cleaned.length === lines.length ? cleaned.map((line) => line.slice(0, most)) : null;
}

/** Characters of a line that are scrubbed. */
const READ_CHARS = 4_000;

/** Lines of a window of a file, and how many more are read on each side of it. Both fit the budget of a document. */
const WINDOW = { lines: 150, around: 50 } as const;

/**
 * Scrubs a whole file without changing the number of lines. If secrets span several lines, every line from the first such
 * secret to the last is replaced by `[redacted]`. A file that is too large for the sanitiser's budget is read in windows.
 */
export function scrubFile(text: string, scrub: TextScrubber): string {
  const clean = scrub(text);
  if (clean === text) return text;
  const lines = text.split('\n');
  if (isUnchecked(clean) && !isUnchecked(text) && lines.length > WINDOW.lines + 2 * WINDOW.around) {
    const windows = Array.from({ length: Math.ceil(lines.length / WINDOW.lines) }, (_, index) => {
      const from = index * WINDOW.lines;
      const first = Math.max(0, from - WINDOW.around);
      const read = lines.slice(first, from + WINDOW.lines + WINDOW.around).join('\n');
      return scrubFile(read, scrub)
        .split('\n')
        .slice(from - first, from - first + WINDOW.lines);
    });
    return windows.flat().join('\n');
  }
  const after = clean.split('\n');
  if (lines.length === after.length) return after.join('\n');
  const alone = lines.map(scrub);
  const most = Math.min(alone.length, after.length);
  let start = 0;
  while (start < most && alone[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && alone.at(-1 - end) === after.at(-1 - end)) end++;
  const hidden = new Array<string>(alone.length - start - end).fill('[redacted]');
  return [...alone.slice(0, start), ...hidden, ...alone.slice(alone.length - end)].join('\n');
}

const isUnchecked = (text: string) => text.includes(`[redacted:${UNCHECKED}]`);

/**
 * A run as notifiers receive it. The analysis's own text is already scrubbed. This scrubs what crashes and outside systems
 * reported, which may have been recorded before a rule existed.
 */
export function scrubRun(run: Run, { text, json }: Sanitiser): Run {
  const clean = (dirty: string) => text(dirty).value;
  const { woken, returned } = run;
  return {
    ...run,
    ...(woken?.release === undefined ? {} : { woken: { ...woken, release: clean(woken.release) } }),
    ...(returned ? { returned: { ...returned, reason: clean(returned.reason) } } : {}),
    title: clean(run.title),
    platform: clean(run.platform),
    releases: run.releases.map(clean),
    environments: run.environments.map(clean),
    event: json(run.event as unknown as JsonObject).value as unknown as Run['event'],
    last_error: run.last_error && { ...run.last_error, detail: clean(run.last_error.detail) },
  };
}

/** A story as notifiers receive it: releases are text from crashes and from the code host. */
export function scrubStory(story: RunStory, { text }: Sanitiser): RunStory {
  const clean = (dirty: string | null) => dirty && text(dirty).value;
  const chapters = story.chapters.map((one) => ({
    ...one,
    release: clean(one.release),
    fixed_in: clean(one.fixed_in),
  }));
  return { ...story, chapters };
}
