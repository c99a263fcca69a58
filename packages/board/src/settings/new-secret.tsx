import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';

export interface Secret {
  /** `The new token`. */
  readonly label: string;
  readonly text: string;
  /** What it belongs to. */
  readonly about: ComponentChildren;
}

/** The only time that a secret is shown. It gets the focus, because the form that made it may be far below. */
export function NewSecret({ shown }: { readonly shown: Signal<Secret | null> }) {
  const place = useRef<HTMLElement>(null);
  const secret = shown.value;
  useEffect(() => place.current?.focus(), [secret]);
  if (secret === null) return null;
  const { label, text, about } = secret;
  return (
    <section
      ref={place}
      class="callout secret"
      data-tone="green"
      aria-label={label}
      role="status"
      tabIndex={-1}
    >
      <p>{about} Copy it now: it is not shown again.</p>
      <p>
        <code>{text}</code>
      </p>
      <p class="actions">
        <Copy what={label.toLowerCase()} text={text} label="Copy" />
        <Button
          small
          onClick={() => {
            shown.value = null;
          }}
        >
          I have stored it
        </Button>
      </p>
    </section>
  );
}
