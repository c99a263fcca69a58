import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';

interface NewSecretProps {
  readonly label: string;
  /** `the token`: what is copied, for screen readers. */
  readonly what: string;
  readonly secret: string;
  readonly done: () => void;
  /** What it belongs to. */
  readonly children: ComponentChildren;
}

/** The only time that a secret is shown. It gets the focus, because the form that made it may be far below. */
export function NewSecret({ label, what, secret, done, children }: NewSecretProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [secret]);
  return (
    <section
      ref={place}
      class="callout secret"
      data-tone="green"
      aria-label={label}
      role="status"
      tabIndex={-1}
    >
      <p>{children}</p>
      <p>
        <code>{secret}</code>
      </p>
      <p class="actions">
        <Copy what={what} text={secret} label="Copy" />
        <Button small onClick={done}>
          I have stored it
        </Button>
      </p>
    </section>
  );
}
