import type { ComponentChildren } from 'preact';
import { Text } from './text.js';

interface PartProps {
  /** Of the heading: a link and a key lead to it. */
  readonly id: string;
  readonly title: string;
  /** Beside the title; it may have text from outside. */
  readonly note?: string | false;
  /** At the end of the line of the title. */
  readonly action?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A section of the run's page. */
export function Part({ id, title, note, action, class: more, children }: PartProps) {
  const heading = (
    <h3 id={id} tabIndex={-1}>
      {title} {note && <Text of={note} class="soft" />}
    </h3>
  );
  return (
    <section class={more === undefined ? 'part' : `part ${more}`} aria-labelledby={id}>
      {action === undefined ? (
        heading
      ) : (
        <div class="part-head">
          {heading}
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
