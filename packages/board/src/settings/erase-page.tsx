import { type Erasure, erasureSettled } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural, whole } from '../format.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/page.js';
import { Pill } from '../parts/pill.js';
import { List, Missing } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { announcement, report } from '../state/session.js';

const WORKING: readonly Erasure['state'][] = ['counting', 'checking', 'erasing'];
const TO_CONFIRM: readonly Erasure['state'][] = ['counted', 'changed'];
const LONGEST = 320;

/** Counts what names a person, and erases it once it is confirmed. */
export function Page() {
  const erasures = useSignal<readonly Erasure[] | null>(null);
  const failed = useSignal(false);
  const current = useSignal<Erasure | null>(null);
  const person = useSignal('');
  const left = useRef(new AbortController());
  const follow = async (id: string) => {
    const client = api.with({ signal: left.current.signal });
    const show = (erasure: Erasure) => {
      current.value = erasure;
    };
    try {
      const over = await erasureSettled(client, id, show);
      current.value = over;
      announcement.value = wordsOf(over);
      erasures.value = (await api.listErasures()).erasures;
    } catch (error) {
      if (!left.current.signal.aborted) report(error);
    }
  };
  const begin = async () => {
    failed.value = false;
    try {
      const all = (await api.listErasures()).erasures;
      erasures.value = all;
      const [latest] = all;
      if (latest !== undefined && WORKING.includes(latest.state)) await follow(latest.erasure_id);
    } catch (error) {
      failed.value = true;
      report(error);
    }
  };
  useEffect(() => {
    const leaving = new AbortController();
    left.current = leaving;
    void begin();
    return () => leaving.abort();
  }, []);
  const start = (started: Erasure) => {
    current.value = started;
    announcement.value = wordsOf(started);
    return follow(started.erasure_id);
  };
  const shown = current.value;
  return (
    <>
      <p class="soft">
        Removes somebody from crashes, evidence, drafts, histories and everything else that is stored.
        Published issues, exports and backups stay. To erase the spool of an edge, run{' '}
        <code>culprit erase</code> on its machine.
      </p>
      <Form
        id="count"
        title="Erase a person"
        fields={{
          person: {
            label: 'User id, e-mail address or name, as in crashes or reviewer names',
            input: { required: true, maxLength: LONGEST },
          },
        }}
        submit="Count"
        disabled={shown !== null && WORKING.includes(shown.state)}
        hint="Changes nothing."
        send={async (values) => {
          const started = await api.countErasure(values);
          person.value = values.person;
          await start(started);
        }}
      />
      {shown !== null && (
        <Section title={wordsOf(shown)}>
          {WORKING.includes(shown.state) && (
            <progress aria-label={wordsOf(shown)} max={Math.max(1, shown.runs)} value={shown.looked_at} />
          )}
          <ErasureFound found={shown.found} />
          {person.value !== '' && TO_CONFIRM.includes(shown.state) && (
            <Confirm key={shown.digest} erasure={shown} person={person.value} confirmed={start} />
          )}
        </Section>
      )}
      {erasures.value === null ? (
        <Missing failed={failed.value} read={begin} />
      ) : (
        <Latest erasures={erasures.value} />
      )}
    </>
  );
}

interface ConfirmProps {
  readonly erasure: Erasure;
  readonly person: string;
  readonly confirmed: (erasure: Erasure) => Promise<void>;
}

/** Typed once more, because nothing brings it back. */
function Confirm({ erasure: { erasure_id, digest }, person, confirmed }: ConfirmProps) {
  return (
    <Form
      id="confirm"
      title="Erase for good"
      fields={{
        person: {
          label: `To confirm, type ${visible(person)}`,
          input: { required: true, maxLength: LONGEST },
        },
      }}
      submit="Erase"
      danger
      ready={(values) => values.person.toLowerCase() === person.toLowerCase()}
      hint="This cannot be undone."
      send={async (values) =>
        confirmed(await api.erasePerson({ erasure_id, person: values.person, digest: digest ?? '' }))
      }
    />
  );
}

function Latest({ erasures }: { readonly erasures: readonly Erasure[] }) {
  const over = erasures.filter(({ state }) => state === 'done' || state === 'failed');
  if (over.length === 0) return null;
  return (
    <Section title="Latest erasures">
      <p class="soft">The names of erased people are not kept.</p>
      <List
        title="Latest erasures"
        rows={over.map(({ erasure_id, state, by, ended_at, found }) => ({
          key: erasure_id,
          name: erasure_id,
          title: (
            <>
              <b>{plural(found.runs, 'run')}</b> by <Text of={by} />
            </>
          ),
          pills: state === 'failed' && <Pill tone="red">failed</Pill>,
          facts: [ended_at !== null && exact(ended_at)],
        }))}
      />
    </Section>
  );
}

function wordsOf({ state, found, error }: Erasure): string {
  switch (state) {
    case 'counting':
      return 'Counting…';
    case 'checking':
      return 'Counting again before anything is erased…';
    case 'erasing':
      return 'Erasing…';
    case 'counted':
      return `Found in ${plural(found.runs, 'run')}. Nothing was changed.`;
    case 'changed':
      return `Nothing was erased: the count has changed. Now found in ${plural(found.runs, 'run')}.`;
    case 'done':
      return `Erased from ${plural(found.runs, 'run')}.`;
    case 'failed':
      return `Failed: ${error ?? 'internal'}. Core’s log has details.`;
  }
}

type Found = Erasure['found'];

const ROWS: readonly (readonly [name: Exclude<keyof Found, 'issues'>, words: string])[] = [
  ['runs', 'Runs'],
  ['events', 'Stored crashes'],
  ['fields', 'Texts in them'],
  ['evidence', 'Evidence of analyses'],
  ['drafts', 'Drafts'],
  ['history', 'Entries of histories'],
  ['values', 'Views, proposals, releases, deliveries'],
  ['tokens', 'Tokens, which end'],
  ['sessions', 'Sessions, which end'],
];

/** What names the person, or did. */
function ErasureFound({ found }: { readonly found: Found }) {
  return (
    <>
      <dl class="erasure">
        {ROWS.map(([name, words]) => (
          <div key={name}>
            <dt>{words}</dt>
            <dd class="num">{found[name]}</dd>
          </div>
        ))}
      </dl>
      {found.issues.length > 0 && (
        <>
          <p>
            {found.issues.length === 1
              ? 'One published issue names this person and stays as it is:'
              : `${whole(found.issues.length)} published issues name this person and stay as they are:`}
          </p>
          <ul>
            {found.issues.map((url) => (
              <Text as="li" of={url} key={url} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}
