import {
  addressesOf,
  NO_DSN,
  placeText,
  SNIPPETS,
  snippetFor,
} from '@culprit/core/internal/domain/send-crashes';
import { useSignal } from '@preact/signals';
import { edgeUrl } from '../edges/edge-url.js';
import { Select } from '../parts/choices.js';
import { Copy } from '../parts/copy.js';
import { CodeScroller } from '../parts/scroller.js';
import { who } from '../state/session.js';

/** Where crashes of each project are sent, with ready programs. A DSN is public; of secrets only the place is shown. */
export function Page() {
  const me = who.value;
  const senders = (me === null || me === 'unknown' ? undefined : me.senders) ?? [];
  const project = useSignal(senders[0]?.project ?? '');
  const kind = useSignal(SNIPPETS[0]?.id ?? '');
  const sender = senders.find((one) => one.project === project.value);
  if (sender === undefined)
    return (
      <p class="none">
        This core does not know the keys of its edge. <code>culprit dsn</code> shows them on the edge’s
        machine.
      </p>
    );
  const url = edgeUrl();
  const { dsn, ingest_url, hook_url } = addressesOf(sender, url);
  const text = SNIPPETS.filter(({ id }) => id === kind.value)
    .map((snippet) => snippetFor(snippet, sender, url))
    .join('');
  const members = [
    ['DSN, for Sentry SDKs', dsn ?? NO_DSN],
    ['Ingest address, for JSON', ingest_url],
    ['Its token', placeText(sender.service_token)],
    ['Hook address, for a tracker', hook_url],
    ['Its secret', placeText(sender.hook_secret)],
  ] as const;
  return (
    <>
      <div class="flow">
        <span class="soft">
          Project{' '}
          <Select
            label="Project"
            value={project.value}
            options={senders.map((one) => [one.project, one.project])}
            choose={(name) => {
              project.value = name;
            }}
          />
        </span>
        <span class="soft">
          Program{' '}
          <Select
            label="Program"
            value={kind.value}
            options={SNIPPETS.map(({ id, label }) => [id, label])}
            choose={(id) => {
              kind.value = id;
            }}
          />
        </span>
      </div>
      <CodeScroller class="code" label="Program that sends crashes">
        {text}
      </CodeScroller>
      <p>
        <Copy what="the program" text={text} label="Copy program" />
      </p>
      <dl class="members">
        {members.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">Secrets are not shown here; the command line reads them on that machine.</p>
      <p class="soft">
        For another project, name it in <code>projects</code> of <code>culprit.json</code>, and start Culprit
        again: it generates the keys. See <code>docs/guides/projects.md</code>.
      </p>
    </>
  );
}
