import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { exact, plural, span } from '../format.js';
import { Button } from '../parts/button.js';
import { Section } from '../parts/page.js';
import { Pill } from '../parts/pill.js';
import { List, Missing, type Row } from '../parts/resource.js';
import { visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { announcement } from '../state/session.js';
import { edgesByTrouble } from '../state/trouble.js';

type Health = Answer<'getHealth', 200>;
type Check = Health['checks'][number] & {
  /** A page of the board that has more. */
  readonly href?: string;
};

const JUST_NOW_MS = 10_000;
const TONES = { ok: 'green', degraded: 'amber', failed: 'red' } as const;

/** What core finds about itself and what it uses, the worst first, with what mends it. */
export function Page() {
  const busy = useSignal(true);
  const health = useResource(() => {
    busy.value = true;
    return api.getHealth().finally(() => {
      busy.value = false;
    });
  });
  const { found, read } = health;
  const again = async () => {
    const answer = await read();
    if (answer !== null) announcement.value = verdictOf(answer);
  };
  const checks = found && [
    ...found.checks.filter(({ state }) => state !== 'ok'),
    ...edgeChecks(),
    ...found.checks.filter(({ state }) => state === 'ok'),
  ];
  return (
    <>
      <p class="soft">
        Core’s checks of itself: its machine, settings, storage and everything that it connects to.{' '}
        <code>culprit doctor</code> runs them before a start, and also checks the ports.
      </p>
      <Section
        title={found === null ? 'Health' : verdictOf(found)}
        beside={
          <Button small disabled={busy.value} onClick={() => void again()}>
            {busy.value ? 'Checking…' : 'Check again'}
          </Button>
        }
      >
        {found !== null && (
          <p class="soft">
            Checked <time dateTime={found.checked_at}>{exact(found.checked_at)}</time>, by the core that
            answered.
          </p>
        )}
        {checks === null ? <Missing {...health} /> : <List title="Checks" rows={checks.map(rowOf)} />}
      </Section>
    </>
  );
}

function rowOf({ name, state, detail, since, href }: Check, index: number): Row {
  const ms = since === null ? 0 : clock.value - Date.parse(since);
  const text = href === undefined ? visible(detail) : <a href={href}>{visible(detail)}</a>;
  return {
    key: `${name} ${index}`,
    name,
    pills: (
      <>
        <Pill tone={TONES[state]}>{state}</Pill>{' '}
        {since !== null && ms >= JUST_NOW_MS && (
          <time class="soft" dateTime={since} title={exact(since)}>
            for {span(ms)}
          </time>
        )}
      </>
    ),
    rest: <p class={state === 'ok' ? 'soft untrusted' : 'untrusted'}>{text}</p>,
  };
}

/** What the edges have reported; nothing where none has. */
function edgeChecks(): readonly Check[] {
  const edges = edgesByTrouble.value;
  if (edges.length === 0) return [];
  const troubled = edges.flatMap(({ latest, troubles }) =>
    troubles.length === 0 ? [] : `${latest.edge}: ${troubles.map(({ words }) => words).join(', ')}`,
  );
  const detail = troubled.length === 0 ? `${plural(edges.length, 'edge')}, all healthy` : troubled.join('; ');
  const state = troubled.length === 0 ? 'ok' : 'degraded';
  return [{ name: 'edges', state, detail, since: null, href: '#/edges' }];
}

function verdictOf({ checks }: Health): string {
  const wrong = checks.filter(({ state }) => state !== 'ok').length;
  if (wrong === 0) return `All ${checks.length} checks passed`;
  return `${wrong} of ${plural(checks.length, 'check')} ${wrong === 1 ? 'needs' : 'need'} attention`;
}
