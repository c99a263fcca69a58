import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Key } from './scroller.js';

/** The keys that confirm where Enter alone must not. */
export const CONFIRM_CHORD = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ ↵' : 'Ctrl ↵';

export interface Question {
  readonly title: string;
  readonly content: ComponentChildren;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  /** Focuses the content instead of the confirm button, so that only Ctrl+Enter confirms. */
  readonly careful?: boolean;
  /** The label of a required text field. */
  readonly reason?: string;
  /** Selector of what is focused first, in content with a form. */
  readonly focus?: string;
}

interface Asked {
  readonly question: Question;
  readonly answer: (reason: string | null) => void;
}
const asked = signal<Asked | null>(null);

/** Whether a dialog is open: another question has to wait, or be given up. */
export function isAsking(): boolean {
  return asked.value !== null;
}

/**
 * Opens a confirmation dialog. Resolves with the reason (empty without that field), or `null` if cancelled. It never replaces an open
 * one, in which something may have been typed: then it resolves with `null` at once.
 */
export function ask(question: Question): Promise<string | null> {
  if (isAsking()) return Promise.resolve(null);
  return new Promise((resolve) => {
    const mine: Asked = {
      question,
      answer(reason) {
        // The browser says late that a dialog was closed; the next one may be open by then.
        if (asked.value === mine) asked.value = null;
        resolve(reason);
      },
    };
    asked.value = mine;
  });
}

/** The open dialog, if any. Enter confirms, Escape cancels; closing it restores the focus. */
export function AskDialog() {
  const open = asked.value;
  return open === null ? null : <Asking key={open.question.title} {...open} />;
}

interface AskingProps {
  readonly question: Question;
  readonly answer: (reason: string | null) => void;
}

function Asking({ question, answer }: AskingProps) {
  const { title, content, confirm, danger = false, wide = false, careful = false, reason } = question;
  const usual = reason !== undefined ? 'textarea' : careful ? '[role=group]' : '.confirm';
  const focus = question.focus ?? usual;
  const text = useRef<HTMLTextAreaElement>(null);
  return (
    <Modal label={title} closed={() => answer(null)} focus={focus}>
      <form
        class={wide ? 'wide' : undefined}
        onSubmit={(event) => {
          event.preventDefault();
          answer(text.current?.value.trim() ?? '');
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <h2>{title}</h2>
        {content}
        {reason !== undefined && (
          <>
            <label for="reason">{reason}</label>
            <textarea ref={text} id="reason" rows={3} maxLength={2_000} required />
          </>
        )}
        <div class="actions">
          <Button onClick={() => answer(null)}>Cancel</Button>
          <button type="submit" class={`button confirm ${danger ? 'danger' : 'primary'}`}>
            {confirm} <Key name={usual === '.confirm' ? '↵' : CONFIRM_CHORD} />
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface ModalProps {
  readonly label: string;
  readonly closed: () => void;
  /** Selector of the element that receives the focus. */
  readonly focus: string;
  readonly children: ComponentChildren;
}

export function Modal({ label, closed, focus, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(focus)?.focus();
    return () => {
      dialog.current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog ref={dialog} aria-label={label} onClose={closed}>
      {children}
    </dialog>
  );
}
