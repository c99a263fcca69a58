import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { ago, exact } from '../format.js';
import { Pill } from '../parts/pill.js';
import { type Row, Rows } from '../parts/resource.js';
import { visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { mayEverywhere, signedOut } from '../state/session.js';

type Session = Answer<'listSessions', 200>['sessions'][number];

/** The browsers in which people have signed in: one's own, and for operators everybody's. */
export function Page() {
  const everybody = useSignal(false);
  const sessions = useResource(
    async () => (await api.listSessions({ everybody: everybody.value || undefined })).sessions,
    String(everybody.value),
  );
  return (
    <>
      <p class="soft">Browsers that are signed in. A session lasts twelve hours at most.</p>
      {mayEverywhere('operate') && (
        <label class="check">
          <input
            type="checkbox"
            checked={everybody.value}
            onChange={(event) => {
              everybody.value = event.currentTarget.checked;
            }}
          />{' '}
          Show the sessions of everybody
        </label>
      )}
      <Rows of={sessions} rows={sessions.found?.map(rowOf)} title="Sessions" empty="No sessions." />
    </>
  );
}

function rowOf(session: Session): Row {
  const now = clock.value;
  const { session_id, current, name, grants, program, network } = session;
  return {
    key: session_id,
    name,
    pills: current && <Pill>this browser</Pill>,
    facts: [
      `${program === 'unknown' ? 'unknown program' : program}, ${network} network`,
      session.signed_in_with === 'provider' ? 'signed in at the provider' : 'signed in with a token',
      ...grants.map(
        ({ scopes, projects }) => `${scopes.join(', ')} in ${projects?.join(', ') ?? 'all projects'}`,
      ),
      `used ${ago(session.seen_at, now)}`,
      `ends ${exact(session.expires_at)}`,
    ],
    actions: [
      {
        label: 'End',
        about: `the session of ${name}, ${program}`,
        question: {
          title: current ? 'End this session?' : `End the session of ${visible(name)}?`,
          content: <p>This browser is signed out at once. Its user can sign in again.</p>,
          confirm: 'End',
          danger: true,
        },
        async run() {
          await api.endSession({ session_id });
          if (!current) return 'Ended.';
          signedOut('You have ended this session.');
          return false;
        },
      },
    ],
  };
}
