import { replaceUnseen } from '@culprit/core/internal/domain/unseen';

/** What may hide or reorder text besides, except tabs. */
const FORMAT = /(?!\t)[\p{Cc}\p{Cf}]/gu;

/** Untrusted text for HTML text or an attribute value; hidden characters become visible. */
export function escapeHtml(text: string): string {
  return replaceUnseen(text, codePoint)
    .replace(FORMAT, codePoint)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function codePoint(character: string): string {
  return `⟨${(character.codePointAt(0) ?? 0).toString(16)}⟩`;
}
