import type { ComponentChildren } from 'preact';

interface ScrollerProps {
  readonly class: string;
  /** Accessible name. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A scrollable box that the keyboard can reach. */
export function Scroller({ class: name, label, children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a fieldset, and sections would add many landmarks
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div role="group" class={name} tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}

/** Code that scrolls horizontally. */
export function CodeScroller({ class: name, label, children }: ScrollerProps) {
  return (
    <Scroller class={name} label={label}>
      <pre>
        <code>{children}</code>
      </pre>
    </Scroller>
  );
}

/** The shortcut of a button. */
export function Key({ name }: { readonly name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  );
}
