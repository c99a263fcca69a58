/** Characters that hide or reorder text; shown by their code point instead. Tabs and line breaks stay. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text from outside as a person may safely read it. It is only ever set as text. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16)}⟩`);
}

export type Child = Node | string | null;

/** Makes an element. Strings become text nodes; there is no way to put markup in. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** A button that runs `act`; `key` lets focus find it again after a redraw. */
export function button(
  label: string,
  key: string,
  kind: 'primary' | 'plain' | 'danger',
  act: () => void,
): HTMLElement {
  const element = h('button', { type: 'button', class: `button ${kind}`, 'data-key': key }, label);
  element.addEventListener('click', act);
  return element;
}

/** Text whose `ticked` words become code. */
export function ticked(text: string): Node[] {
  return visible(text)
    .split(/`([^`]*)`/)
    .map((part, index) => (index % 2 === 1 ? h('code', {}, part) : document.createTextNode(part)));
}

/** A link, where the address is one that a browser may follow. */
export function link(address: string | null, label: string): Node {
  if (address === null || !/^https?:\/\//i.test(address)) return document.createTextNode(visible(label));
  return h('a', { href: address, rel: 'noopener noreferrer' }, visible(label));
}

/** Replaces the content and gives focus back to the element that had it, if it is still there. */
export function redraw(parent: HTMLElement, ...children: readonly Child[]): void {
  const active = document.activeElement;
  const key = active !== null && parent.contains(active) ? active.getAttribute('data-key') : null;
  const open = new Set(
    [...parent.querySelectorAll('details[open][data-key]')].map((item) => item.getAttribute('data-key')),
  );
  parent.replaceChildren(...children.filter((child) => child !== null));
  for (const item of parent.querySelectorAll('details[data-key]')) {
    if (open.has(item.getAttribute('data-key'))) item.setAttribute('open', '');
  }
  if (key !== null) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
