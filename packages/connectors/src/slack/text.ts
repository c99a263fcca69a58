import { codeSpan, fence, safeTitle, sanitiseText } from '@culprit/core';

/** The three characters that Slack gives a meaning: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Text from outside as one code span: sanitised once more, on one line, with what cannot be seen written out. mrkdwn knows
 * no escape for a backtick, so each becomes `ˋ`.
 */
export function outsideSpan(text: string, most: number): string {
  return escaped(codeSpan(withoutTicks(text), most));
}

/** Text from outside as a preformatted block of at most `most` characters as sent. */
export function outsideBlock(text: string, most: number): string {
  const whole = withoutTicks(text);
  for (let length = most; ; length = Math.floor(length / 2)) {
    const block = escaped(fence(clipped(whole, length)));
    if (block.length <= most) return block;
  }
}

/** Text from outside as a title, by the allow-list of issue titles. Not escaped: for `plain_text`. */
export function outsideTitle(text: string, most: number): string {
  return clipped(safeTitle(sanitiseText(text).value), most);
}

/** An address that can stand in `<…|…>` as it is, else `null`. */
export function linkTarget(url: string | null): string | null {
  if (url === null || url.length > 1_000) return null;
  return /^https?:\/\/[\w.~:/?#@!$&'()*+,;=%[\]-]+$/.test(url) ? escaped(url) : null;
}

/** At most so many characters, never half of one. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function withoutTicks(text: string): string {
  return sanitiseText(text).value.replaceAll('`', 'ˋ');
}
