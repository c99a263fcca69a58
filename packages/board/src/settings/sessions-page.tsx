import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { ago, exact } from '../format.js';
import { Pill } from '../parts/pill.js';
import { Action, Card, Cards, useResource } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, mayEverywhere, signedOut } from '../state/session.js';

type Session = Answer<'listSessions', 200>['sessions'][number];

/** The browsers in which people have signed in: one's own, and for operators everybody's. */
export function SessionsPage() {
  const everybody = useSignal(false);
  const { found, act } = useResource(
    async () => (await api.listSessions({ everybody: everybody.value || undefined })).sessions,
    String(everybody.value),
  );
  const end = ({ session_id, current, name }: Session) =>
    act(
      async () => {
        await api.endSession({ session_id });
        if (!current) announcement.value = 'Ended.';
        else signedOut('You have ended this session.');
        return !current;
      },
      {
        title: current ? 'End this session?' : `End the session of ${visible(name)}?`,
        content: <p>This browser is signed out at once. Its user can sign in again.</p>,
        confirm: 'End',
        danger: true,
      },
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
      <Cards id="sessions" title="Sessions" count={found?.length}>
        {found?.map((session) => (
          <Card
            key={session.session_id}
            title={
              <>
                <Text as="b" of={session.name} /> {session.current && <Pill>this browser</Pill>}
              </>
            }
            facts={factsOf(session)}
            actions={
              <Action
                label="End"
                name={`End the session of ${visible(session.name)}, ${visible(session.program)}`}
                run={() => end(session)}
              />
            }
          />
        ))}
      </Cards>
    </>
  );
}

function factsOf(session: Session): readonly string[] {
  const now = clock.value;
  const { grants, program, network } = session;
  return [
    `${program === 'unknown' ? 'unknown program' : visible(program)}, ${network} network`,
    session.signed_in_with === 'provider' ? 'signed in at the provider' : 'signed in with a token',
    ...grants.map(
      ({ scopes, projects }) =>
        `${scopes.join(', ')} in ${projects === null ? 'all projects' : visible(projects.join(', '))}`,
    ),
    `used ${ago(session.seen_at, now)}`,
    `ends ${exact(session.expires_at)}`,
  ];
}
