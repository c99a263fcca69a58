import type { Run } from '@culprit/core';
import { type Comeback, comebacksOf } from '@culprit/core/internal/domain/comeback';
import { mergedCount } from '@culprit/core/internal/domain/merge';
import { useEffect, useRef } from 'preact/hooks';
import { DraftPanel } from '../draft/draft-panel.js';
import { plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';
import { ICONS, Icon } from '../parts/icons.js';
import { lazy } from '../parts/lazy.js';
import { Key } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { occurrences, opening, viewed } from '../state/occurrences.js';
import { addressOfRun, goToOccurrence, linkTo, route } from '../state/route.js';
import { catchUp, editing, foundCause, missing, newer, redirected, shown } from '../state/run.js';
import { verifying } from './actions.js';
import { AnalysisProgress } from './analysis-progress.js';
import { didWords } from './decision-words.js';
import { ExplanationSection } from './explanation.js';
import { Facts } from './facts.js';
import { GateBar } from './gate-bar.js';
import { RunHead } from './head.js';
import { InvestigationSection } from './investigation.js';
import { OwnersSection } from './owners.js';
import { StackSection } from './stack.js';
import { StorySection } from './story.js';
import { SuspectsSection } from './suspects.js';
import { Timeline } from './timeline.js';
import { focusTitle } from './title-focus.js';
import { Comments, Turns } from './turns.js';

/** Loaded with the first run that is opened. */
const Evidence = lazy(() => import('./evidence.js').then((chunk) => chunk.Evidence));

const Verification = lazy(() => import('./verification.js').then((chunk) => chunk.Verification));

/** One run: everything a reviewer needs to decide, the most likely cause first. */
export function RunPage() {
  const detail = shown.value;
  const place = route.value;
  const id = place.page === 'run' ? place.id : null;
  const section = place.page === 'run' ? place.section : null;
  useEffect(() => {
    const pane = document.getElementById('main');
    if (pane === null || detail?.run.run_id !== id) return;
    const target = section === null ? null : document.getElementById(section);
    if (target === null) pane.scrollTop = 0;
    else target.scrollIntoView({ block: 'start' });
    focusTitle(detail.run.run_id);
  }, [detail?.run.run_id, section]);
  if (missing.value) return <Missing id={id ?? ''} />;
  if (detail === null) return <p class="none">Loading…</p>;
  const { run, history, stack } = detail;
  const other = viewed.value?.runId === run.run_id ? viewed.value : null;
  const event = other?.event ?? run.event;
  return (
    <>
      <Changes />
      <article class="run" aria-busy={run.run_id !== id}>
        <a class="back" href="#/">
          <Icon path={ICONS.left} /> All runs
        </a>
        <RunHead run={run} stack={stack} />
        <MergedRuns run={run} />
        <Comebacks run={run} />
        <Turns run={run} />
        <StorySection run={run} />
        <Facts run={run} />
        {run.state === 'analyzing' && <AnalysisProgress runId={run.run_id} />}
        <SuspectsSection run={run} stack={stack} />
        {run.investigation && (
          <InvestigationSection key={run.run_id} run={run} investigation={run.investigation} />
        )}
        <OwnersSection ownership={run.ownership} />
        <ExplanationSection run={run} stack={stack} />
        <EventBar run={run} />
        <StackSection run={other === null ? run : { ...run, event }} stack={other === null ? stack : null} />
        {run.draft !== null && <DraftPanel key={run.run_id} run={run} draft={run.draft} stack={stack} />}
        <Comments history={history} />
        <Evidence run={run} event={event} />
        <Timeline history={history} state={run.state} />
      </article>
      <GateBar run={run} history={history} />
      {verifying.value === run.run_id && <Verification run={run} />}
    </>
  );
}

function Missing({ id }: { readonly id: string }) {
  return (
    <section class="blank">
      <h2>Run not found</h2>
      <p class="soft">
        <Text as="code" of={id} /> is the id of no run. The link may be incomplete, or the run was so old that
        it was removed.
      </p>
      <p>
        {redirected.value?.to === id && (
          <>
            <a href={addressOfRun({ run_id: redirected.value.from, state: 'merged' })}>
              Show the run that was merged into it
            </a>
            {' · '}
          </>
        )}
        <a href="#/">Back to the inbox</a>
      </p>
    </section>
  );
}

/** The way back for a reader whose address led here, and the runs that were merged into this one. */
function MergedRuns({ run }: { readonly run: Run }) {
  const way = redirected.value?.to === run.run_id ? redirected.value : null;
  const members = (run.members ?? []).filter(({ into }) => into !== null);
  return (
    <>
      {way !== null && (
        <p class="callout" role="status">
          <b>The run you opened has been merged into this one:</b> <Text of={way.title} />{' '}
          <a href={addressOfRun({ run_id: way.from, state: 'merged' })}>Show the merged run</a>
        </p>
      )}
      {members.length > 0 && run.state !== 'merged' && (
        <p class="merged-runs">
          Counts the crashes of {plural(mergedCount(run), 'merged run')}:{' '}
          {members.map(({ run_id, occurrences }, at) => (
            <span key={run_id}>
              {at > 0 && ', '}
              <a href={addressOfRun({ run_id, state: 'merged' })}>
                <code>{run_id}</code>
              </a>{' '}
              <span class="soft num">{plural(occurrences, 'crash', 'crashes')}</span>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

/** Why the run is back at Gate 1, with the error or the reviewer's reason. The story has the regressions. */
function Comebacks({ run }: { readonly run: Run }) {
  const { state, last_error } = run;
  const refused = state === 'staged_raw' ? null : last_error;
  return (
    <>
      {comebacksOf(run).map((one) => (
        <Back key={one.code} comeback={one} />
      ))}
      {refused !== null && (
        <p class="callout" data-tone="red">
          <b>Publishing failed.</b> <Text of={refused.detail} />
          {state === 'publishing' ? ' Culprit will retry.' : refused.retryable ? ' You can retry.' : ''}
        </p>
      )}
    </>
  );
}

function Back({ comeback }: { readonly comeback: Comeback }) {
  switch (comeback.code) {
    case 'regression':
      return null;
    case 'analysis_failed':
      return (
        <p class="callout" data-tone="red">
          <b>The analysis failed.</b> <Text of={comeback.error.detail} />
          {comeback.error.retryable ? ' You can retry.' : ''}
        </p>
      );
    case 'returned':
      return (
        <div class="callout returned" data-tone="amber">
          <p>
            <b>
              Returned by <Text of={comeback.by} />.
            </b>{' '}
            <When iso={comeback.at} class="soft" />
          </p>
          <Text as="p" of={comeback.reason} class="said" />
        </div>
      );
  }
}

/** Announces changes by other reviewers, and shows them on request. */
function Changes() {
  const now = newer.value;
  const old = shown.value;
  useEffect(() => {
    if (now !== null && !editing.value && now.run.version === old?.run.version) catchUp();
  }, [now, old]);
  if (now === null || old === null) return null;
  const fresh = now.history.slice(old.history.length).filter(({ kind }) => kind === 'decision');
  const draftChanged = now.run.draft?.digest !== old.run.draft?.digest;
  return (
    <div class="changed banner" role="status">
      <p>
        {fresh.length === 0 &&
          (foundCause(old.run, now.run)
            ? 'The investigation has found a cause, so the suspects and the draft have changed. '
            : 'This run has changed. ')}
        {fresh.map(({ sequence, by, name, at }) => (
          <span key={sequence}>
            <Text as="b" of={by ?? 'Another reviewer'} /> {didWords(name)} <When iso={at} />.{' '}
          </span>
        ))}
        {draftChanged && now.run.draft !== null && 'This page still shows the previous draft.'}
      </p>
      <Button small onClick={catchUp}>
        Show the latest version <Key name="U" />
      </Button>
    </div>
  );
}

/** Which occurrence's event the page shows, and the way to the one before and after; empty with one event. */
function EventBar({ run }: { readonly run: Run }) {
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
      class="event-bar flow"
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
              received <When iso={other.entry.received_at} />
              {other.entry.trust === 'untrusted' && ', with a public key'}; the suspects and the draft are
              from the latest analysis
            </>
          )}
        </span>
      </p>
      <span class="actions">
        <Copy what="a link to this crash" text={linkTo(run, now)} label="Copy link" />
        <Button small disabled={older === null} aria-label="Previous event" onClick={() => show(older)}>
          <Icon path={ICONS.left} size={12} /> Previous
        </Button>
        <Button small disabled={newer === null} aria-label="Next event" onClick={() => show(newer)}>
          Next <Icon path={ICONS.right} size={12} />
        </Button>
      </span>
    </nav>
  );
}
