import type { PlacedStack, Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { useEffect } from 'preact/hooks';
import { Part } from '../parts/part.js';
import { may } from '../state/session.js';
import { Checklist } from './checklist.js';
import { Bytes, Changes, Preview, Raw } from './draft-views.js';
import { Editor } from './editor.js';
import { form, startEditing, stopEditing, TABS, type Tab, tab } from './editor-state.js';

interface DraftPanelProps {
  readonly run: Run;
  readonly draft: Draft;
  readonly stack: PlacedStack | null;
}

/** The draft that Gate 2 signs: rendered, as Markdown, as the exact request, and as a diff. */
export function DraftPanel({ run, draft, stack }: DraftPanelProps) {
  useEffect(() => stopEditing, []);
  const editable = may('gate2', run.project) && run.state === 'staged_draft';
  const tabs = (Object.keys(TABS) as Tab[]).filter((name) => editable || name !== 'edit');
  const now = tabs.includes(tab.value) ? tab.value : 'preview';
  return (
    <Part
      id="draft"
      title="Draft"
      note={draft.edited_by === null ? 'generated, not edited' : `edited by ${draft.edited_by}`}
      class="draft"
    >
      <div class="draft-grid">
        <div class="paper">
          <Tabs tabs={tabs} now={now} />
          <div role="tabpanel" id="draft-panel" aria-labelledby={`tab-${now}`} class="paper-body">
            {now === 'preview' && <Preview run={run} draft={draft} edit={form.value} />}
            {now === 'edit' && <Editor draft={draft} />}
            {now === 'raw' && <Raw draft={draft} edit={form.value} />}
            {now === 'bytes' && <Bytes run={run} draft={draft} />}
            {now === 'changes' && <Changes run={run} draft={draft} />}
          </div>
        </div>
        <Checklist run={run} draft={draft} stack={stack} />
      </div>
    </Part>
  );
}

function Tabs({ tabs, now }: { readonly tabs: readonly Tab[]; readonly now: Tab }) {
  const choose = (name: Tab) => {
    if (name === 'edit') startEditing();
    tab.value = name;
  };
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = tabs[(tabs.indexOf(now) + by + tabs.length) % tabs.length] ?? now;
    tab.value = next;
    if (next === 'edit') startEditing();
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Draft views" class="tabs" onKeyDown={move}>
      {tabs.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === now}
          aria-controls="draft-panel"
          tabIndex={name === now ? 0 : -1}
          onClick={() => choose(name)}
        >
          {TABS[name]}
        </button>
      ))}
    </div>
  );
}
