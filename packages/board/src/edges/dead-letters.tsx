import { api } from '../api.js';
import { ago, exact, plural, whole } from '../format.js';
import type { Question } from '../parts/dialog.js';
import { Pill } from '../parts/pill.js';
import { type Action, Actions, List } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { mayEverywhere } from '../state/session.js';

interface DeadLettersProps {
  readonly edge: string;
  /** Of all dead letters; core lists the newest hundred. */
  readonly count: number;
}

const AGAIN_MS = 5_000;
/** The newest commands that are shown. */
const MAX_COMMANDS = 5;
const TONES = { queued: 'blue', done: 'green', failed: 'red', expired: 'amber' } as const;

/** Deliveries that core rejected as invalid. The edge keeps them until an operator resends or drops them. */
export function DeadLetters({ edge, count }: DeadLettersProps) {
  const { found, act } = useResource(
    async () => (await api.listEdges()).edges.find((one) => one.edge === edge) ?? null,
    `${edge} ${count}`,
    AGAIN_MS,
  );
  const resend = (label: string, sequences: number[] | 'all'): Action => ({
    label,
    async run() {
      await api.commandEdge({ edge, kind: 'resend', sequences });
      return QUEUED;
    },
  });
  const drop = (label: string, sequences: number[] | 'all'): Action => ({
    label,
    question: dropping(sequences === 'all' ? count : sequences.length),
    async run() {
      await api.commandEdge({ edge, kind: 'drop', sequences });
      return QUEUED;
    },
  });
  const operates = mayEverywhere('operate');
  const letters = [...(found?.dead_letters ?? [])].reverse();
  const all = [resend(`Resend all ${whole(count)}`, 'all'), drop('Drop all…', 'all')];
  return (
    <>
      <h4>Dead letters</h4>
      {count === 0 ? (
        <p class="soft">None. Core has accepted every delivery of this edge.</p>
      ) : (
        operates && <Actions actions={all} name="" act={act} />
      )}
      {count > letters.length && letters.length > 0 && <p class="soft">The newest {letters.length}:</p>}
      <List
        title="Dead letters"
        {...(operates && { act })}
        rows={letters.map(({ sequence, at, event_id, project, door, detail }) => ({
          key: String(sequence),
          name: event_id,
          title: <Text as="code" of={event_id} />,
          facts: [`${project}, ${door} door, ${exact(at)}`],
          rest: <Text as="p" of={detail} />,
          actions: [resend('Resend', [sequence]), drop('Drop…', [sequence])],
        }))}
      />
      <List
        title="Commands"
        rows={(found?.commands ?? [])
          .slice(0, MAX_COMMANDS)
          .map(({ id, action, by, at, status, detail }) => ({
            key: id,
            name: action.kind,
            title: <Pill tone={TONES[status]}>{status}</Pill>,
            pills: (
              <>
                {action.kind}, by {visible(by)} {ago(at)}
                {detail !== null && <span class="soft">. {visible(detail)}</span>}
              </>
            ),
          }))}
      />
    </>
  );
}

const QUEUED = 'Command queued. The edge polls every few seconds.';

function dropping(count: number): Question {
  return {
    title: `Drop ${plural(count, 'dead letter')}?`,
    content: <p>These crashes are deleted permanently. Core has never counted them.</p>,
    confirm: 'Drop',
    danger: true,
  };
}
