import type { Answer } from '@culprit/client';
import type { PlacedStack, Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact } from '../format.js';
import { Button } from '../parts/button.js';
import { useResource } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { whyNot } from '../run/action.js';
import { clock } from '../state/clock.js';
import { announcement } from '../state/session.js';
import { Checklist } from './checklist.js';
import { Bytes, Changes, Preview, Raw } from './draft-views.js';
import { Editor } from './editor.js';
import { change, editMode, form, startEditing, stopEditing, TABS, type Tab, tab } from './editor-state.js';

interface DraftPanelProps {
  readonly run: Run;
  readonly draft: Draft;
  readonly stack: PlacedStack | null;
}

/** The draft that Gate 2 signs: rendered, as Markdown, as the exact request, and as a diff. */
export function DraftPanel({ run, draft, stack }: DraftPanelProps) {
  useEffect(() => stopEditing, []);
  const editable = editMode() !== null && run.state === 'staged_draft';
  const tabs = (Object.keys(TABS) as Tab[]).filter((name) => editable || name !== 'edit');
  const now = tabs.includes(tab.value) ? tab.value : 'preview';
  return (
    <section class="part draft" aria-labelledby="draft">
      <h3 id="draft" tabIndex={-1}>
        Draft{' '}
        <span class="soft">
          {draft.edited_by === null ? 'generated, not edited' : <>edited by {visible(draft.edited_by)}</>}
        </span>
      </h3>
      <Proposals run={run} draft={draft} />
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
    </section>
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
          {name === 'edit' && editMode() === 'propose' ? 'Propose a change' : TABS[name]}
        </button>
      ))}
    </div>
  );
}

type Proposal = Answer<'listProposals'>['proposals'][number];

interface ProposalsProps {
  readonly run: Run;
  readonly draft: Draft;
}

/** What others, such as a coding agent, propose as the text of the draft. Absent if there is nothing. */
function Proposals({ run, draft }: ProposalsProps) {
  const waits = run.state === 'staged_draft';
  const { found: proposals, act } = useResource(
    async () => (waits ? (await api.listProposals({ run_id: run.run_id })).proposals : []),
    // A proposal comes with a comment, which changes the run.
    `${run.run_id} ${run.version} ${waits}`,
  );
  if (!waits || proposals === null || proposals.length === 0) return null;
  const off = whyNot({ scope: () => 'gate2' }, run) !== null;
  const dismiss = (id: string) =>
    act(async () => {
      await api.dismissProposal({ run_id: run.run_id, proposal_id: id });
      announcement.value = 'Dismissed.';
    });
  const use = ({ title, body }: Proposal) => {
    if (startEditing()) change(draft.reopens === undefined ? { title, body } : { body });
  };
  return (
    <ul class="proposals" aria-label="Proposed changes of the draft">
      {proposals.map((one) => (
        <li key={one.id} class="callout" data-tone="violet">
          <p>
            <Text as="b" of={one.token ?? one.by} />
            {one.token !== null && (
              <span class="soft">
                , a token of <Text of={one.by} />,
              </span>
            )}{' '}
            proposes a change of this draft{' '}
            <time class="soft" dateTime={one.at} title={exact(one.at)}>
              {ago(one.at, clock.value)}
            </time>
            {one.digest !== draft.digest && <b> It was made from an earlier draft.</b>}
          </p>
          {one.note !== '' && <Text as="q" of={one.note} />}
          <details>
            <summary>Read it</summary>
            <p>
              <Text as="b" of={one.title} />
            </p>
            <pre class="untrusted">{visible(one.body)}</pre>
          </details>
          <p class="actions">
            <Button small disabled={off} onClick={() => use(one)}>
              Open it in the editor
            </Button>
            <Button small disabled={off} onClick={() => void dismiss(one.id)}>
              Dismiss
            </Button>
          </p>
        </li>
      ))}
    </ul>
  );
}
