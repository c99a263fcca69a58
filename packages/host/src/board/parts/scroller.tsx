import type { ComponentChildren } from 'preact';

interface ScrollerProps {
  readonly class: string;
  /** What is in it, for those who do not see it. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A box that scrolls, which a keyboard must be able to reach. */
export function Scroller({ class: name, label, children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, and a section would be a landmark; there are many of these
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" class={name} tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}

/** Lines of code that scroll sideways. */
export function CodeScroller({ class: name, label, children }: ScrollerProps) {
  return (
    <Scroller class={name} label={label}>
      <pre>
        <code>{children}</code>
      </pre>
    </Scroller>
  );
}

/** The key that does the same; told to others by `aria-keyshortcuts`. */
export function Key({ name }: { readonly name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  );
}
