import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural, span } from '../format.js';
import { Button } from '../parts/button.js';
import { Pill } from '../parts/pill.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, report } from '../state/session.js';
import { edgesByTrouble } from '../state/trouble.js';

type Health = Answer<'getHealth', 200>;
type Check = Health['checks'][number] & {
  /** A page of the board that has more. */
  readonly href?: string;
};

const JUST_NOW_MS = 10_000;
const TONES = { ok: 'green', degraded: 'amber', failed: 'red' } as const;

/** What core finds about itself and what it uses, the worst first, with what mends it. */
export function HealthPage() {
  const health = useSignal<Health | null>(null);
  const busy = useSignal(false);
  const check = async (announce: boolean) => {
    busy.value = true;
    try {
      health.value = await api.getHealth();
      if (announce) announcement.value = verdictOf(health.value);
    } catch (error) {
      report(error);
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => void check(false), []);
  const found = health.value;
  return (
    <>
      <p class="soft">
        What core finds about itself: machine, settings, storage and everything that it connects to.{' '}
        <code>culprit doctor</code> also checks the ports, before a start.
      </p>
      <section aria-labelledby="health">
        <div class="heading">
          <h3 id="health">{found === null ? 'Checking…' : verdictOf(found)}</h3>
          <Button small disabled={busy.value} onClick={() => void check(true)}>
            {busy.value ? 'Checking…' : 'Check again'}
          </Button>
        </div>
        {found !== null && (
          <>
            <p class="soft">
              Checked <time dateTime={found.checked_at}>{exact(found.checked_at)}</time>, by the core that
              answered.
            </p>
            <ul class="cards">
              {[
                ...found.checks.filter(({ state }) => state !== 'ok'),
                ...edgeChecks(),
                ...found.checks.filter(({ state }) => state === 'ok'),
              ].map(row)}
            </ul>
          </>
        )}
      </section>
    </>
  );
}

function row(check: Check, index: number) {
  const { name, state, detail, since, href } = check;
  return (
    <li key={`${name} ${index}`}>
      <div>
        <p>
          <Text as="b" of={name} /> <Pill tone={TONES[state]}>{state}</Pill>{' '}
          {since !== null && clock.value - Date.parse(since) >= JUST_NOW_MS && (
            <span class="soft">
              <time dateTime={since} title={exact(since)}>
                for {span(clock.value - Date.parse(since))}
              </time>
            </span>
          )}
        </p>
        <p class={state === 'ok' ? 'soft untrusted' : 'untrusted'}>
          {href === undefined ? visible(detail) : <a href={href}>{visible(detail)}</a>}
        </p>
      </div>
    </li>
  );
}

/** What the edges have reported; nothing where none has. */
function edgeChecks(): readonly Check[] {
  const edges = edgesByTrouble.value;
  if (edges.length === 0) return [];
  const troubled = edges.flatMap(({ latest, troubles }) =>
    troubles.length === 0 ? [] : `${latest.edge}: ${troubles.map(({ words }) => words).join(', ')}`,
  );
  const detail =
    troubled.length === 0 ? `${plural(edges.length, 'edge')}, all without trouble` : troubled.join('; ');
  const state = troubled.length === 0 ? 'ok' : 'degraded';
  return [{ name: 'edges', state, detail, since: null, href: '#/edges' }];
}

function verdictOf({ checks }: Health): string {
  const wrong = checks.filter(({ state }) => state !== 'ok').length;
  if (wrong === 0) return `All ${checks.length} checks passed`;
  return `${wrong} of ${plural(checks.length, 'check')} ${wrong === 1 ? 'needs' : 'need'} attention`;
}
