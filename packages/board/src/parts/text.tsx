import { replaceUnseen } from '@culprit/core/internal/domain/unseen';
import type { ComponentChildren, JSX } from 'preact';

/** What may hide or reorder text besides, except tabs and line breaks. */
const FORMAT = /(?![\t\n])[\p{Cc}\p{Cf}]/gu;

/** Untrusted text with hidden characters shown as code points. Always rendered as text, never as HTML. */
export function visible(text: string): string {
  return replaceUnseen(text, codePoint).replace(FORMAT, codePoint);
}

function codePoint(character: string): string {
  return `⟨${(character.codePointAt(0) ?? 0).toString(16)}⟩`;
}

/** An element with text from outside, and nothing else. */
export function Text({
  as: Element = 'span',
  of,
  class: more,
  ...attributes
}: Omit<JSX.IntrinsicElements['span'], 'class'> & {
  readonly as?:
    | 'span'
    | 'p'
    | 'b'
    | 'code'
    | 'li'
    | 'h3'
    | 'q'
    | 'dd'
    | 'a'
    | 'td'
    | 'strong'
    | 'pre'
    | 'h4'
    | 'dt'
    | 'del'
    | 'ins'
    | 'mark';
  readonly of: string;
  readonly class?: string;
  readonly href?: string;
}) {
  const Tag = Element as 'span';
  return (
    <Tag {...attributes} class={more === undefined ? 'untrusted' : `${more} untrusted`}>
      {visible(of)}
    </Tag>
  );
}

/** The same on one line, for a clipboard that may be pasted into a terminal. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ');
}

/** The text as a part of an address. Half of a surrogate pair, which no address can have, becomes U+FFFD. */
export function inAddress(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Text whose `backticked` parts become code. */
export function Ticked({ text }: { readonly text: string }) {
  const parts = visible(text).split(/`([^`]*)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** What a browser drops from an address, or reads as another character: text after it could be another address than it seems. */
const UNCLEAR = /[\p{Cc}\p{Cf}\\]/u;

/**
 * An address from outside that may be a link: http or https without credentials, which make another host look like the first part
 * (`https://github.com@evil.example`), or a path of core. Otherwise `null`.
 */
export function linkable(to: string | null): string | null {
  if (to === null || UNCLEAR.test(to) || !/^(https?:\/\/|\/(?!\/))/i.test(to)) return null;
  if (!URL.canParse(to, location.origin)) return null;
  const { username, password } = new URL(to, location.origin);
  return username === '' && password === '' ? to : null;
}

interface LinkProps {
  /** A link only if it is {@link linkable}. */
  readonly to: string | null;
  readonly children: ComponentChildren;
  readonly label?: string;
}

/** An external link that opens in a new tab. */
export function Out({ to, children, label }: LinkProps) {
  const address = linkable(to);
  if (address === null) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" aria-label={label}>
      {children}
    </a>
  );
}
