import type { ComponentChildren } from 'preact';

/** Characters that hide or reorder text; shown by their code point instead. Tabs and line breaks stay. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text from outside as a person may safely read it. It is only ever set as text. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16)}⟩`);
}

/** Text whose `ticked` words become code. */
export function Ticked({ text }: { readonly text: string }) {
  const parts = visible(text).split(/`([^`]*)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

interface LinkProps {
  /** Followed only where it is http or https, or a path of core's own. */
  readonly to: string | null;
  readonly children: ComponentChildren;
  readonly label?: string;
}

/** A link to the code host or to an issue, in a tab of its own. */
export function Out({ to, children, label }: LinkProps) {
  if (to === null || !/^(https?:\/\/|\/(?!\/))/i.test(to)) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer" aria-label={label}>
      {children}
    </a>
  );
}
