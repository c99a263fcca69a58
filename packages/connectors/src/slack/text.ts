import { codeSpan, fence, safeTitle, sanitiseText } from '@culprit/core/connector';

/** Escapes Slack's three special characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Untrusted text as one code span: sanitised again, on one line, with invisible characters written out. mrkdwn cannot escape
 * a backtick, so each becomes `ˋ`.
 */
export function outsideSpan(text: string, most: number): string {
  return escaped(codeSpan(withoutTicks(text), most));
}

/** Untrusted text as a preformatted block of at most `most` characters, as sent. */
export function outsideBlock(text: string, most: number): string {
  const whole = withoutTicks(text);
  for (let length = most; ; length = Math.floor(length / 2)) {
    const block = escaped(fence(clipped(whole, length)));
    if (block.length <= most) return block;
  }
}

/** Untrusted text as a title, filtered by the allow-list of issue titles. Not escaped: for `plain_text`. */
export function outsideTitle(text: string, most: number): string {
  return clipped(safeTitle(sanitiseText(text).value), most);
}

/** An address that is safe inside `<…|…>`, or `null`. */
export function linkTarget(url: string | null): string | null {
  if (url === null || url.length > 1_000) return null;
  return /^https?:\/\/[\w.~:/?#@!$&'()*+,;=%[\]-]+$/.test(url) ? escaped(url) : null;
}

/** At most `most` characters, without splitting a surrogate pair. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function withoutTicks(text: string): string {
  return sanitiseText(text).value.replaceAll('`', 'ˋ');
}
