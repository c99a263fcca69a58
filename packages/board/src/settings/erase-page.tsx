import { type Erasure, erasureSettled } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural } from '../format.js';
import { FormProblemText, TextField } from '../parts/field.js';
import { Pill } from '../parts/pill.js';
import { Text, visible } from '../parts/text.js';
import { useFieldSubmit } from '../parts/use-submit.js';
import { announcement, report } from '../state/session.js';

const WORKING: readonly Erasure['state'][] = ['counting', 'checking', 'erasing'];
const TO_CONFIRM: readonly Erasure['state'][] = ['counted', 'changed'];
const LONGEST = 320;

/** Counts what names a person, and erases it once it is confirmed. */
export function ErasePage() {
  const erasures = useSignal<readonly Erasure[] | null>(null);
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
  useEffect(() => {
    const leaving = new AbortController();
    left.current = leaving;
    const begin = async () => {
      const all = (await api.listErasures()).erasures;
      erasures.value = all;
      const [latest] = all;
      if (latest !== undefined && WORKING.includes(latest.state)) await follow(latest.erasure_id);
    };
    begin().catch(report);
    return () => leaving.abort();
  }, []);
  const start = (started: Erasure) => {
    current.value = started;
    announcement.value = wordsOf(started);
    return follow(started.erasure_id);
  };
  const shown = current.value;
  const known = person.value.trim() !== '';
  return (
    <>
      <p class="soft">
        Removes somebody from crashes, evidence, drafts, histories and everything else that is stored.
        Published issues, exports and backups stay. To erase the spool of an edge, run{' '}
        <code>culprit erase</code> on its machine.
      </p>
      <CountForm person={person} busy={shown !== null && WORKING.includes(shown.state)} counted={start} />
      {shown !== null && (
        <section aria-labelledby="erasure">
          <h3 id="erasure">{wordsOf(shown)}</h3>
          {WORKING.includes(shown.state) && (
            <progress aria-labelledby="erasure" max={Math.max(1, shown.runs)} value={shown.looked_at} />
          )}
          <ErasureFound found={shown.found} />
          {known && TO_CONFIRM.includes(shown.state) && (
            <ConfirmForm key={shown.digest} erasure={shown} person={person.value} confirmed={start} />
          )}
        </section>
      )}
      <Latest erasures={erasures.value} />
    </>
  );
}

interface CountFormProps {
  readonly person: { value: string };
  readonly busy: boolean;
  readonly counted: (erasure: Erasure) => Promise<void>;
}

function CountForm({ person, busy, counted }: CountFormProps) {
  const text = useSignal('');
  const submit = useFieldSubmit('count', ['person'], async () => {
    const started = await api.countErasure({ person: text.value });
    person.value = text.value;
    await counted(started);
  });
  return (
    <form class="panel" aria-labelledby="count-title" onSubmit={submit.onSubmit}>
      <h3 id="count-title">Erase a person</h3>
      <TextField
        form="count"
        name="person"
        label="User id, e-mail address or name, as in crashes or reviewer names"
        problem={submit.problem}
        text={text}
        input={{ required: true, maxLength: LONGEST }}
      />
      <FormProblemText problem={submit.problem} />
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || submit.busy}>
          Count
        </button>
        <span class="soft">Changes nothing.</span>
      </div>
    </form>
  );
}

interface ConfirmFormProps {
  readonly erasure: Erasure;
  readonly person: string;
  readonly confirmed: (erasure: Erasure) => Promise<void>;
}

/** Typed once more, because nothing brings it back. */
function ConfirmForm({ erasure, person, confirmed }: ConfirmFormProps) {
  const typed = useSignal('');
  const same = typed.value.trim().toLowerCase() === person.trim().toLowerCase();
  const submit = useFieldSubmit('confirm', ['person'], async () => {
    await confirmed(
      await api.erasePerson({
        erasure_id: erasure.erasure_id,
        person: typed.value,
        digest: erasure.digest ?? '',
      }),
    );
  });
  return (
    <form class="panel" aria-labelledby="confirm-title" onSubmit={submit.onSubmit}>
      <h3 id="confirm-title">Erase for good</h3>
      <TextField
        form="confirm"
        name="person"
        label={`To confirm, type ${visible(person.trim())}`}
        problem={submit.problem}
        text={typed}
        input={{ required: true, maxLength: LONGEST }}
      />
      <FormProblemText problem={submit.problem} />
      <div class="actions">
        <button type="submit" class="button danger" disabled={!same || submit.busy}>
          Erase
        </button>
        <span class="soft">This cannot be undone.</span>
      </div>
    </form>
  );
}

function Latest({ erasures }: { readonly erasures: readonly Erasure[] | null }) {
  if (erasures === null) return <p class="none">Loading…</p>;
  const over = erasures.filter(({ state }) => state === 'done' || state === 'failed');
  if (over.length === 0) return null;
  return (
    <section aria-labelledby="erasures">
      <h3 id="erasures">Latest erasures</h3>
      <p class="soft">Who was erased is not kept.</p>
      <ul class="cards">
        {over.map(({ erasure_id, state, by, ended_at, found }) => (
          <li key={erasure_id}>
            <div>
              <p>
                <b>{plural(found.runs, 'run')}</b> by <Text of={by} />{' '}
                {state === 'failed' && <Pill tone="red">failed</Pill>}
              </p>
              <p class="soft">{ended_at === null ? '' : exact(ended_at)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
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
            {plural(found.issues.length, 'published issue')} name{found.issues.length === 1 ? 's' : ''} this
            person and stay{found.issues.length === 1 ? 's' : ''} as{' '}
            {found.issues.length === 1 ? 'it is' : 'they are'}:
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
