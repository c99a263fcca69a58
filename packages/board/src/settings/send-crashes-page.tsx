import {
  addressesOf,
  NO_DSN,
  placeText,
  SNIPPETS,
  snippetFor,
} from '@culprit/core/internal/domain/send-crashes';
import { useSignal } from '@preact/signals';
import { edgeUrl } from '../edges/edge-url.js';
import { Copy } from '../parts/copy.js';
import { CodeScroller } from '../parts/scroller.js';
import { who } from '../state/session.js';

/** Where crashes of each project are sent, with ready programs. A DSN is public; of secrets only the place is shown. */
export function SendCrashesPage() {
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
  const secret = (
    <span class="soft">Secrets are not shown here; the command line reads them on that machine.</span>
  );
  return (
    <>
      <div class="choices">
        <Choice label="Project" chosen={project} rows={senders.map((one) => [one.project, one.project])} />
        <Choice label="Program" chosen={kind} rows={SNIPPETS.map(({ id, label }) => [id, label])} />
      </div>
      <CodeScroller class="code" label="Program that sends crashes">
        {text}
      </CodeScroller>
      <p>
        <Copy what="the program" text={text} label="Copy program" />
      </p>
      <dl class="members">
        <div>
          <dt>DSN, for Sentry SDKs</dt>
          <dd>{dsn ?? NO_DSN}</dd>
        </div>
        <div>
          <dt>Ingest address, for JSON</dt>
          <dd>{ingest_url}</dd>
        </div>
        <div>
          <dt>Its token</dt>
          <dd>{placeText(sender.service_token)}</dd>
        </div>
        <div>
          <dt>Hook address, for a tracker</dt>
          <dd>{hook_url}</dd>
        </div>
        <div>
          <dt>Its secret</dt>
          <dd>{placeText(sender.hook_secret)}</dd>
        </div>
      </dl>
      <p>{secret}</p>
      <p class="soft">
        For another project, name it in <code>projects</code> of <code>culprit.json</code>, and start Culprit
        again: it generates the keys. See <code>docs/guides/projects.md</code>.
      </p>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: { value: string };
  readonly rows: readonly (readonly [id: string, text: string])[];
}

function Choice({ label, chosen, rows }: ChoiceProps) {
  return (
    <label class="field">
      {label}
      <select
        value={chosen.value}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
        }}
      >
        {rows.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
