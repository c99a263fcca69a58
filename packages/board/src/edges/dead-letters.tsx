import type { EdgeCommand } from '@culprit/client';
import { api } from '../api.js';
import { ago, exact, plural, whole } from '../format.js';
import { Button } from '../parts/button.js';
import type { Question } from '../parts/dialog.js';
import { Pill } from '../parts/pill.js';
import { useResource } from '../parts/resource.js';
import { visible } from '../parts/text.js';
import { announcement } from '../state/session.js';

interface DeadLettersProps {
  readonly edge: string;
  /** Of all dead letters; core lists the newest hundred. */
  readonly count: number;
}

const AGAIN_MS = 5_000;

/** Deliveries that core rejected as invalid. The edge keeps them until an operator resends or drops them. */
export function DeadLetters({ edge, count }: DeadLettersProps) {
  const { found, act } = useResource(
    async () => (await api.listEdges()).edges.find((one) => one.edge === edge) ?? null,
    `${edge} ${count}`,
    AGAIN_MS,
  );
  const send = (kind: 'resend' | 'drop', sequences: number[] | 'all') =>
    act(
      async () => {
        await api.commandEdge({ edge, kind, sequences });
        announcement.value = 'Command queued. The edge polls every few seconds.';
      },
      kind === 'drop' ? dropping(sequences === 'all' ? count : sequences.length) : undefined,
    );
  const letters = [...(found?.dead_letters ?? [])].reverse();
  const commands = (found?.commands ?? []).slice(0, 5);
  return (
    <>
      <h4>Dead letters</h4>
      {count === 0 ? (
        <p class="soft">None. Core has accepted every delivery of this edge.</p>
      ) : (
        <p class="actions">
          <Button small onClick={() => void send('resend', 'all')}>
            Resend all {whole(count)}
          </Button>
          <Button small onClick={() => void send('drop', 'all')}>
            Drop all…
          </Button>
        </p>
      )}
      {count > letters.length && letters.length > 0 && <p class="soft">The newest {letters.length}:</p>}
      <ul class="letters">
        {letters.map(({ sequence, at, event_id, project, door, detail }) => (
          <li key={sequence}>
            <p class="untrusted">
              <code>{visible(event_id)}</code>{' '}
              <span class="soft">
                {visible(project)}, {visible(door)} door, <time dateTime={at}>{exact(at)}</time>
              </span>
              <br />
              {visible(detail)}
            </p>
            <Button
              small
              aria-label={`Resend ${visible(event_id)}`}
              onClick={() => void send('resend', [sequence])}
            >
              Resend
            </Button>
            <Button
              small
              aria-label={`Drop ${visible(event_id)}`}
              onClick={() => void send('drop', [sequence])}
            >
              Drop…
            </Button>
          </li>
        ))}
      </ul>
      {commands.length > 0 && (
        <ul class="letters" aria-label="Commands">
          {commands.map((command) => (
            <Command key={command.id} command={command} />
          ))}
        </ul>
      )}
    </>
  );
}

const TONES = { queued: 'blue', done: 'green', failed: 'red', expired: 'amber' } as const;

function Command({ command: { action, by, at, status, detail } }: { readonly command: EdgeCommand }) {
  return (
    <li>
      <Pill tone={TONES[status]}>{status}</Pill>
      <p class="untrusted">
        {action.kind}, by {visible(by)} {ago(at)}
        {detail !== null && <span class="soft">. {visible(detail)}</span>}
      </p>
    </li>
  );
}

function dropping(count: number): Question {
  return {
    title: `Drop ${plural(count, 'dead letter')}?`,
    content: <p>These crashes are deleted permanently. Core has never counted them.</p>,
    confirm: 'Drop',
    danger: true,
  };
}
