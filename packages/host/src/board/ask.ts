import { type Child, h } from './dom.js';

export interface Question {
  readonly title: string;
  readonly content: readonly Child[];
  readonly confirm: string;
  readonly danger?: boolean;
  /** Asks for a reason, which must then be given. */
  readonly reason?: string;
}

/** Asks in a dialog before anything is decided. Resolves with the reason (empty if none was asked), `null` if cancelled. */
export function ask(question: Question): Promise<string | null> {
  return new Promise((resolve) => {
    const reason = h('textarea', { rows: '3', maxlength: '2000', required: '', id: 'reason' });
    const confirm = h(
      'button',
      {
        type: 'submit',
        value: 'yes',
        class: `button ${question.danger ? 'danger' : 'primary'}`,
        'data-key': 'confirm',
      },
      question.confirm,
    );
    const cancel = h('button', { type: 'button', class: 'button plain' }, 'Cancel');
    const form = h(
      'form',
      { method: 'dialog' },
      h('h2', { class: 'ask-title' }, question.title),
      ...question.content,
      question.reason === undefined
        ? null
        : h('label', { for: 'reason', class: 'ask-label' }, question.reason),
      question.reason === undefined ? null : reason,
      h('div', { class: 'actions' }, confirm, cancel),
    );
    const dialog = h('dialog', {}, form);
    cancel.addEventListener('click', () => dialog.close(''));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes' ? reason.value.trim() : null);
    });
    document.body.append(dialog);
    dialog.showModal();
    (question.reason === undefined ? confirm : reason).focus();
  });
}
