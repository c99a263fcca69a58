import type { ComponentChildren } from 'preact';
import { ago, exact } from '../format.js';
import { clock } from '../state/clock.js';

interface WhenProps {
  readonly iso: string;
  readonly class?: string;
  /** Absent: how long ago it was. */
  readonly children?: ComponentChildren;
}

/** A moment; pointing at it shows the exact time. */
export function When({ iso, class: name, children }: WhenProps) {
  return (
    <time class={name} dateTime={iso} title={exact(iso)}>
      {children ?? ago(iso, clock.value)}
    </time>
  );
}
