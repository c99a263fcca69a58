import type { Run } from '@culprit/core';
import { useEffect, useRef } from 'preact/hooks';
import { ago, exact } from '../format.js';
import { Copy } from '../parts/copy.js';
import { ICONS, Icon } from '../parts/icons.js';
import { occurrences, opening, viewed } from '../state/occurrences.js';
import { goToOccurrence, linkTo, route } from '../state/route.js';

/** Which occurrence's event the page shows, and the way to the one before and after; empty with one event. */
export function EventBar({ run }: { readonly run: Run }) {
  const known = occurrences.value;
  const other = viewed.value?.runId === run.run_id ? viewed.value : null;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // A link to an occurrence opens here.
    if (route.value.page === 'run' && route.value.section === 'event') bar.current?.scrollIntoView();
  }, [run.run_id, other !== null, known?.runId]);
  if (known === null || known.runId !== run.run_id) return null;
  if (known.events.length < 2 && other === null) return null;
  const { events } = known;
  const now = other?.entry.number ?? events[0] ?? 0;
  const older = events.find((number) => number < now) ?? null;
  const newer = events.findLast((number) => number > now) ?? null;
  const show = (number: number | null) => {
    if (number !== null) goToOccurrence(run, number === events[0] ? null : number);
  };
  return (
    <nav
      ref={bar}
      id="event"
      class="event-bar"
      aria-label="Events of this run"
      aria-busy={opening.value !== null}
    >
      <p>
        <b>
          Crash <span class="num">{now}</span>
        </b>{' '}
        <span class="soft">
          {other === null ? (
            'the latest one stored'
          ) : (
            <>
              received{' '}
              <time dateTime={other.entry.received_at} title={exact(other.entry.received_at)}>
                {ago(other.entry.received_at)}
              </time>
              {other.entry.trust === 'untrusted' && ', with a public key'}; suspects and draft are about the
              latest analysis
            </>
          )}
        </span>
      </p>
      <span class="actions">
        <Copy what="a link to this crash" text={linkTo(run, now)} label="Copy link" />
        <button
          type="button"
          class="button small"
          disabled={older === null}
          aria-label="Previous event"
          onClick={() => show(older)}
        >
          <Icon path={ICONS.left} size={12} /> Previous
        </button>
        <button
          type="button"
          class="button small"
          disabled={newer === null}
          aria-label="Next event"
          onClick={() => show(newer)}
        >
          Next <Icon path={ICONS.right} size={12} />
        </button>
      </span>
    </nav>
  );
}
