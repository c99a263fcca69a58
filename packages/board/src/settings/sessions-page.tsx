import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact } from '../format.js';
import { Button } from '../parts/button.js';
import { ask } from '../parts/dialog.js';
import { Pill } from '../parts/pill.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, mayEverywhere, report, signedOut } from '../state/session.js';

type Session = Answer<'listSessions', 200>['sessions'][number];

/** The browsers in which people have signed in: one's own, and for operators everybody's. */
export function SessionsPage() {
  const sessions = useSignal<readonly Session[] | null>(null);
  const everybody = useSignal(false);
  const read = async () => {
    try {
      sessions.value = (await api.listSessions({ everybody: everybody.value || undefined })).sessions;
    } catch (error) {
      report(error);
    }
  };
  useEffect(() => void read(), [everybody.value]);
  const end = async (session: Session) => {
    const answer = await ask({
      title: session.current ? 'End this session?' : `End the session of ${visible(session.name)}?`,
      content: <p>This browser is signed out at once. Whoever uses it can sign in again.</p>,
      confirm: 'End',
      danger: true,
    });
    if (answer === null) return;
    try {
      await api.endSession({ session_id: session.session_id });
      if (session.current) return signedOut('You have ended this session.');
      announcement.value = 'Ended.';
    } catch (error) {
      report(error);
    }
    await read();
  };
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
      <SessionList sessions={sessions.value} end={(session) => void end(session)} />
    </>
  );
}

interface SessionListProps {
  readonly sessions: readonly Session[] | null;
  readonly end: (session: Session) => void;
}

function SessionList({ sessions, end }: SessionListProps) {
  if (sessions === null) return <p class="none">Loading…</p>;
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions">
        Sessions <span class="soft num">{sessions.length}</span>
      </h3>
      <ul class="cards">
        {sessions.map((session) => (
          <li key={session.session_id}>
            <div>
              <p>
                <Text as="b" of={session.name} /> {session.current && <Pill>this browser</Pill>}
              </p>
              <p class="soft untrusted">{factsOf(session)}</p>
            </div>
            <Button
              small
              aria-label={`End the session of ${visible(session.name)}, ${visible(session.program)}`}
              onClick={() => end(session)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function factsOf(session: Session): string {
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
  ].join(' · ');
}
