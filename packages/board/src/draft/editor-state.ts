import { ApiError } from '@culprit/client';
import type { Draft } from '@culprit/core/connector';
import type { DraftEdit } from '@culprit/core/internal/domain/draft';
import { batch, computed, signal } from '@preact/signals';
import { api } from '../api.js';
import { catchUp, decide, deciding, editing, newer, shown } from '../state/run.js';
import { may, notice } from '../state/session.js';

export const TABS = {
  preview: 'Preview',
  edit: 'Edit',
  raw: 'Raw',
  bytes: 'Exact bytes',
  changes: 'Changes',
} as const;
export type Tab = keyof typeof TABS;
export const tab = signal<Tab>('preview');

/** The values of the form; `null` while not editing. */
export const form = signal<DraftEdit | null>(null);
/** The draft that the edit started from. */
const base = signal<Draft | null>(null);
/** True if the form has another text than that draft. */
export const unsaved = computed(() => form.value !== null && textOf(form.value) !== textOf(base.value));

export function startEditing(): boolean {
  const run = shown.value?.run;
  if (run?.state !== 'staged_draft' || run.draft === null || deciding.value !== null) return false;
  if (!may('gate2', run.project)) return false;
  if (form.value === null) fill(run.draft);
  tab.value = 'edit';
  focusBody();
  return true;
}

/** Moves the focus to the body if the form is on the screen. The form calls this itself when it appears, before anyone can type. */
export function focusBody(): void {
  const body = document.getElementById('draft-body');
  if (body === null) return;
  document.getElementById('draft')?.scrollIntoView({ block: 'start' });
  body.focus({ preventScroll: true });
}

function textOf(text: DraftEdit | null): string {
  return JSON.stringify([text?.title, text?.body, text?.labels, text?.assignees]);
}

function fill(draft: Draft): void {
  const { title, body, labels, assignees } = draft;
  batch(() => {
    form.value = { title, body, labels, assignees };
    base.value = draft;
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

/** The draft that another reviewer saved while this one was being edited. */
export function theirs(): Draft | null {
  const draft = newer.value?.run.draft ?? null;
  return form.value !== null && draft !== null && draft.digest !== base.value?.digest ? draft : null;
}

/** Saves over the draft that was edited; with `over`, over another reviewer's newer draft. */
export async function save(over = false): Promise<void> {
  const edit = form.value;
  const from = over ? (theirs() ?? base.value) : base.value;
  if (edit === null || from === null) return;
  if (!unsaved.value && !over) return stopEditing();
  const held = editing.value;
  let refused: unknown = null;
  const runId = shown.value?.run.run_id;
  if (runId === undefined) return;
  await decide(runId, 'Saving', async () => {
    try {
      await api.editDraft({ run_id: runId, ...edit, if_match: from.digest });
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
      text: 'Saved. The draft has a new digest. Review it again before you sign.',
    };
    return;
  }
  editing.value = held;
  if (refused instanceof ApiError && refused.status === 412) keepMine();
}

/** `decide` has loaded the newer draft; the form keeps this reviewer's text, with a notice about the other. */
function keepMine(): void {
  const detail = shown.value;
  if (detail === null || newer.value !== null) return;
  newer.value = detail;
  notice.value = null;
}
