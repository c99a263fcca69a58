import type { Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import type { DraftEdit } from '@culprit/core/internal/domain/draft';
import type { DraftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { api } from '../api.js';
import { CodeScroller, Scroller } from '../parts/scroller.js';
import { Out, Text, visible } from '../parts/text.js';
import { useAsked } from '../parts/use-asked.js';
import { useMarkdown } from './use-markdown.js';

interface ViewProps {
  readonly run: Run;
  readonly draft: Draft;
}

/** What core would send now; `null` while it is loaded. */
export function usePreview({ run_id, state }: Run, { digest }: Draft) {
  return useAsked(() => api.previewDraft({ run_id }), `${run_id} ${digest} ${state}`);
}

/** The issue as GitHub renders it, with the trailer; while editing, the text of the form. */
export function Preview({ run, draft, edit }: ViewProps & { readonly edit: DraftEdit | null }) {
  const whole = usePreview(run, draft);
  const title = edit?.title ?? draft.title;
  const content = useMarkdown(edit?.body ?? whole?.body ?? draft.body);
  return (
    <>
      {edit !== null && <p class="callout">Unsaved edit. Saving it adds the trailer.</p>}
      {draft.reopens === undefined ? (
        <Text as="p" of={title} class="issue-title" />
      ) : (
        <p class="callout" data-tone="amber">
          A comment {draft.reopens.only_comment ? 'on' : 'that reopens'}{' '}
          <Out to={draft.reopens.url}>issue #{draft.reopens.number}</Out>. The title, labels and assignees of
          the issue stay.
        </p>
      )}
      <p class="labels flow">
        {(edit?.labels ?? draft.labels).map((label) => (
          <Text of={label} class="pill" key={label} />
        ))}
        {(edit?.assignees ?? draft.assignees).map((name) => (
          <Text of={`assign ${name}`} class="pill" data-tone="blue" key={name} />
        ))}
      </p>
      {content}
    </>
  );
}

/** The Markdown that Gate 2 signs. */
export function Raw({ draft, edit }: { readonly draft: Draft; readonly edit: DraftEdit | null }) {
  return <PlainText text={edit?.body ?? draft.body} label="Markdown of the draft" />;
}

/** The request to the code host, with the trailer, and its size. */
export function Bytes({ run, draft }: ViewProps) {
  const whole = usePreview(run, draft);
  if (whole === null) return <p class="soft">Loading…</p>;
  const { repository, labels, assignees, reopens } = draft;
  const { title, body } = whole;
  const bytes = new TextEncoder().encode(whole.body).length;
  return (
    <>
      <p class="soft">
        The request to {reopens === undefined ? 'create the issue' : `comment on issue #${reopens.number}`} in{' '}
        <Text as="b" of={repository} />. The body has <span class="num">{bytes.toLocaleString('en')}</span>{' '}
        bytes.
      </p>
      <PlainText
        text={JSON.stringify(reopens === undefined ? { title, body, labels, assignees } : { body }, null, 2)}
        label="Request as JSON"
      />
    </>
  );
}

/** The difference to the generated draft. */
export function Changes({ run, draft }: ViewProps) {
  const difference = useAsked<DraftDifference>(
    () => api.getDraftDifference({ run_id: run.run_id }),
    `${run.run_id} ${draft.digest}`,
  );
  if (difference === null) return <p class="soft">Loading…</p>;
  if (difference.same) return <p>No changes: this is the generated draft, byte for byte.</p>;
  return <Difference difference={difference} />;
}

/** The difference between two drafts. */
export function Difference({ difference }: { readonly difference: DraftDifference }) {
  const { machine, current, labels, assignees, body } = difference;
  return (
    <>
      {machine.title !== current.title && (
        <p>
          Title: <Text as="del" of={machine.title} /> <Text as="ins" of={current.title} />
        </p>
      )}
      <ListChange name="Labels" {...labels} />
      <ListChange name="Assignees" {...assignees} />
      {body === '' ? <p class="soft">The body is unchanged.</p> : <Diff text={body} />}
    </>
  );
}

interface ListChangeProps {
  readonly name: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function ListChange({ name, added, removed }: ListChangeProps) {
  if (added.length + removed.length === 0) return null;
  return (
    <p>
      {name}:{' '}
      {removed.map((one) => (
        <Text as="del" of={one} key={one} />
      ))}{' '}
      {added.map((one) => (
        <Text as="ins" of={one} key={one} />
      ))}
    </p>
  );
}

function Diff({ text }: { readonly text: string }) {
  const kinds = { '+': 'added', '-': 'removed', '@': 'at' } as const;
  return (
    <CodeScroller class="source" label="Changes to the body">
      {text.split('\n').map((line) => (
        <Text of={line || ' '} class={`line ${kinds[line[0] as '+' | '-' | '@'] ?? ''}`} />
      ))}
    </CodeScroller>
  );
}

function PlainText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Scroller class="raw untrusted" label={label}>
      {visible(text)}
    </Scroller>
  );
}
