/** Characters that hide or reorder text, except tabs. */
const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Untrusted text for HTML text or an attribute value; hidden characters become visible. */
export function escapeHtml(text: string): string {
  return text
    .replace(HIDDEN, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16)}⟩`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
