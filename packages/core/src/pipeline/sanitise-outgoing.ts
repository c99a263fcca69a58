import { sanitiseText } from './sanitise/index.js';

/** The second pass: everything that leaves for a prompt or a draft goes through here, wherever it came from. */
export function outgoing(text: string): string {
  return sanitiseText(text).value;
}

/**
 * Lines in one pass, so that a secret that spans several is seen whole. `null` where it took lines away: then what is left
 * can no longer be set beside line numbers.
 */
export function outgoingLines(lines: readonly string[]): readonly string[] | null {
  const cleaned = outgoing(lines.join('\n')).split('\n');
  return cleaned.length === lines.length ? cleaned : null;
}
