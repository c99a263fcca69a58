import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { report } from '../state/session.js';
import { Button } from './button.js';
import { ask, type Question } from './dialog.js';

export interface Resource<T> {
  /** `null` while it is loaded for the first time. */
  readonly found: T | null;
  /** Resolves with whether core answered; its error is shown. */
  readonly read: () => Promise<boolean>;
  /** After a confirmation, if there is a question: runs the work, then reads again, unless the work resolves with `false`. */
  readonly act: (work: () => Promise<unknown>, question?: Question) => Promise<void>;
}

/** What core knows about something: read when the page opens or `key` changes, after each action, and with `everyMs` again and again. */
export function useResource<T>(load: () => Promise<T>, key = '', everyMs?: number): Resource<T> {
  const found = useSignal<T | null>(null);
  const turns = useRef(0);
  const read = async () => {
    const turn = ++turns.current;
    try {
      const answer = await load();
      // A late answer must not replace a newer one, which may be about another key.
      if (turn === turns.current) found.value = answer;
      return true;
    } catch (error) {
      report(error);
      return false;
    }
  };
  useEffect(() => {
    void read();
    const timer = everyMs === undefined ? undefined : window.setInterval(read, everyMs);
    return () => window.clearInterval(timer);
  }, [key]);
  const act = async (work: () => Promise<unknown>, question?: Question) => {
    if (question !== undefined && (await ask(question)) === null) return;
    try {
      if ((await work()) === false) return;
    } catch (error) {
      report(error);
    }
    await read();
  };
  return { found: found.value, read, act };
}

interface CardsProps {
  /** Of the heading. */
  readonly id: string;
  readonly title: string;
  /** Beside the title. */
  readonly count: ComponentChildren;
  readonly note?: string;
  /** Instead of an empty list. */
  readonly empty?: string;
  /** One `Card` each; `undefined` while they are loaded. */
  readonly children: readonly ComponentChildren[] | undefined;
}

/** A list of what core keeps, with its heading. */
export function Cards({ id, title, count, note, empty, children }: CardsProps) {
  if (children === undefined) return <p class="none">Loading…</p>;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        {title} <span class="soft num">{count}</span>
      </h3>
      {note !== undefined && <p class="soft">{note}</p>}
      {children.length === 0 && empty !== undefined && <p class="none">{empty}</p>}
      <ul class="cards">{children}</ul>
    </section>
  );
}

interface CardProps {
  /** The first line: a name and its pills. */
  readonly title: ComponentChildren;
  readonly facts: readonly string[];
  /** Between title and facts, and below them. */
  readonly lead?: ComponentChildren;
  readonly rest?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** What an action has opened. */
  readonly children?: ComponentChildren;
}

export function Card({ title, facts, lead, rest, actions, children }: CardProps) {
  return (
    <li>
      <div>
        <p>{title}</p>
        {lead}
        <p class="soft untrusted">{facts.join(' · ')}</p>
        {rest}
      </div>
      {actions}
      {children}
    </li>
  );
}

interface ActionProps {
  readonly label: string;
  /** For screen readers, who cannot see in which row it is. */
  readonly name: string;
  readonly run: () => unknown;
  readonly expanded?: boolean;
}

export function Action({ label, name, run, expanded }: ActionProps) {
  return (
    <Button small aria-label={name} aria-expanded={expanded} onClick={() => void run()}>
      {label}
    </Button>
  );
}
