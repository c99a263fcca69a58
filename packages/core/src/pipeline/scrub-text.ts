import type { JsonObject } from '../domain/json.js';
import type { Run } from '../domain/run.js';
import { createSanitiser, type Sanitiser, type SanitiserOptions, sanitiseText } from './sanitise/index.js';

/** The second pass: everything that leaves for a prompt, a draft or a chat goes through it, wherever it came from. */
export type TextScrubber = (text: string) => string;

/** By the rules of the house alone. */
export const scrubText: TextScrubber = (text) => sanitiseText(text).value;

/** By the installation's own rules; the same options give the same texts on any machine. */
export function textScrubber(options: SanitiserOptions | undefined): TextScrubber {
  if (options === undefined) return scrubText;
  const { text } = createSanitiser(options);
  return (dirty) => text(dirty).value;
}

/**
 * Lines in one pass, so that a secret that spans several is seen whole. `null` where it took lines away: then what is left
 * can no longer be set beside line numbers.
 */
export function scrubLines(lines: readonly string[], outgoing: TextScrubber): readonly string[] | null {
  const cleaned = outgoing(lines.join('\n')).split('\n');
  return cleaned.length === lines.length ? cleaned : null;
}

/**
 * A run as notifiers get it. What the analysis wrote has passed already; this is what crashes and outside systems said,
 * which may have been recorded before a rule was there.
 */
export function scrubRun(run: Run, { text, json }: Sanitiser): Run {
  const clean = (dirty: string) => text(dirty).value;
  return {
    ...run,
    title: clean(run.title),
    platform: clean(run.platform),
    releases: run.releases.map(clean),
    environments: run.environments.map(clean),
    event: json(run.event as unknown as JsonObject).value as unknown as Run['event'],
    last_error: run.last_error && { ...run.last_error, detail: clean(run.last_error.detail) },
  };
}
