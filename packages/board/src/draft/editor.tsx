import type { Draft } from '@culprit/core/connector';
import { DRAFT_LIMITS, type DraftEdit } from '@culprit/core/internal/domain/draft';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { whole } from '../format.js';
import { Button } from '../parts/button.js';
import { CONFIRM_CHORD } from '../parts/dialog.js';
import { Key } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { deciding } from '../state/run.js';
import { change, focusBody, form, save, stopEditing, theirs } from './editor-state.js';

/** Edits the draft. Never discards the text because another reviewer saved first. */
export function Editor({ draft }: { readonly draft: Draft }) {
  const edit = form.value;
  const other = theirs();
  const body = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    // Browsers put the caret at the end.
    body.current?.setSelectionRange(0, 0);
    focusBody();
  }, [edit === null]);
  if (edit === null) return null;
  const busy = deciding.value !== null;
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && other === null) void save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      {other !== null && <Theirs other={other} busy={busy} over={() => void save(true)} />}
      {draft.reopens === undefined && <TitleField edit={edit} />}
      <label for="draft-body">Body, in Markdown</label>
      <textarea
        ref={body}
        id="draft-body"
        class="mono"
        rows={20}
        required
        spellcheck={false}
        value={edit.body}
        onInput={({ currentTarget }) => change({ body: currentTarget.value })}
      />
      <p class="soft num">
        {whole(edit.body.length)} of {whole(DRAFT_LIMITS.bodyChars - DRAFT_LIMITS.trailerChars)} characters
      </p>
      {draft.reopens === undefined && <NamesFields edit={edit} />}
      <p class="soft">
        Target repository: <Text as="b" of={draft.repository} />, set by the configuration.
      </p>
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || other !== null}>
          Save <Key name={CONFIRM_CHORD} />
        </button>
        <Button onClick={stopEditing}>Discard</Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly edit: DraftEdit;
}

function TitleField({ edit }: FieldsProps) {
  return (
    <>
      <label for="draft-title">Title</label>
      <input
        id="draft-title"
        required
        maxLength={DRAFT_LIMITS.titleChars}
        value={edit.title}
        onInput={({ currentTarget }) => change({ title: currentTarget.value })}
      />
    </>
  );
}

function NamesFields({ edit }: FieldsProps) {
  const lists = (text: string) => [...new Set(text.split(',').map((part) => part.trim()))].filter(Boolean);
  return (
    <div class="pair">
      <div>
        <label for="draft-labels">Labels, separated by commas</label>
        <input
          id="draft-labels"
          value={edit.labels.join(', ')}
          onChange={({ currentTarget }) => change({ labels: lists(currentTarget.value) })}
        />
      </div>
      <div>
        <label for="draft-assignees">Assignees</label>
        <input
          id="draft-assignees"
          value={edit.assignees.join(', ')}
          onChange={({ currentTarget }) => change({ assignees: lists(currentTarget.value) })}
        />
      </div>
    </div>
  );
}

interface TheirsProps {
  readonly other: Draft;
  readonly busy: boolean;
  /** Sends this reviewer's text all the same. */
  readonly over: () => void;
}

/** A conflict with another reviewer's draft: shows both and lets this reviewer choose. */
function Theirs({ other, busy, over }: TheirsProps) {
  return (
    <div class="callout" data-tone="amber" role="alert">
      <p>
        <Text as="b" of={other.edited_by ?? 'Another reviewer'} /> changed this draft while you were writing:
        “<Text of={other.title} />
        ”. Your text is still here.
      </p>
      <p class="actions">
        <Button small onClick={() => stopEditing()}>
          Discard mine, show theirs
        </Button>
        <Button small look="danger" onClick={over} disabled={busy}>
          Save mine over theirs
        </Button>
      </p>
    </div>
  );
}
