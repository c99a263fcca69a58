import type { Draft, DraftEdit } from '@culprit/core';
import { batch, signal } from '@preact/signals';
import { ApiError } from '../../client/api-error.js';
import { api } from '../api.js';
import { catchUp, decide, deciding, editing, newer, shown } from '../state/run.js';
import { notice } from '../state/session.js';

export const TABS = {
  preview: 'Preview',
  edit: 'Edit',
  raw: 'Raw',
  bytes: 'Exact bytes',
  changes: 'Changes',
} as const;
export type Tab = keyof typeof TABS;
export const tab = signal<Tab>('preview');

/** What stands in the fields; `null`: nobody is editing. */
export const form = signal<DraftEdit | null>(null);
/** Digest of the draft that the fields were filled from. */
const base = signal('');

export function startEditing(): boolean {
  const run = shown.value?.run;
  if (run?.state !== 'staged_draft' || run.draft === null || deciding.value !== null) return false;
  const anew = form.value === null;
  if (anew) fill(run.draft);
  tab.value = 'edit';
  requestAnimationFrame(() => {
    const body = document.getElementById('draft-body') as HTMLTextAreaElement | null;
    // At its beginning, not where browsers put the caret: the end.
    if (anew) body?.setSelectionRange(0, 0);
    document.getElementById('draft')?.scrollIntoView({ block: 'start' });
    body?.focus({ preventScroll: true });
  });
  return true;
}

function fill({ title, body, labels, assignees, digest }: Draft): void {
  batch(() => {
    form.value = { title, body, labels, assignees };
    base.value = digest;
    editing.value = true;
  });
}

export function change(part: Partial<DraftEdit>): void {
  if (form.value !== null) form.value = { ...form.value, ...part };
}

export function stopEditing(): void {
  batch(() => {
    form.value = null;
    editing.value = false;
    tab.value = 'preview';
  });
  catchUp();
}

/** Somebody else changed the draft under the editor's hands. */
export function theirs(): Draft | null {
  const draft = newer.value?.run.draft ?? null;
  return form.value !== null && draft !== null && draft.digest !== base.value ? draft : null;
}

/** Saves over what was read. Over what somebody else wrote since only if the reader says so. */
export async function save(over = false): Promise<void> {
  const edit = form.value;
  if (edit === null) return;
  const digest = over ? (theirs()?.digest ?? base.value) : base.value;
  const held = editing.value;
  let refused: unknown = null;
  await decide('Saving', async (id) => {
    try {
      await api.saveDraft(id, edit, digest);
      editing.value = false;
    } catch (error) {
      refused = error;
      throw error;
    }
  });
  if (refused === null) {
    stopEditing();
    notice.value = {
      tone: 'green',
      text: 'Saved. The draft has a new digest; read it once more before it is signed.',
    };
    return;
  }
  editing.value = held;
  if (refused instanceof ApiError && refused.status === 412) keepMine();
}

/** The new text was read by `decide`; what the reader wrote stays in the fields, beside a word about theirs. */
function keepMine(): void {
  const detail = shown.value;
  if (detail === null || newer.value !== null) return;
  newer.value = detail;
  notice.value = null;
}
