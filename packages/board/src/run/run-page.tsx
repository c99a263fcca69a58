import { useEffect } from 'preact/hooks';
import { DraftPanel } from '../draft/draft-panel.js';
import { ICONS, Icon } from '../parts/icons.js';
import { lazy } from '../parts/lazy.js';
import { visible } from '../parts/text.js';
import { viewed } from '../state/occurrences.js';
import { addressOfRun, route } from '../state/route.js';
import { led, missing, shown } from '../state/run.js';
import { AnalysisProgress } from './analysis-progress.js';
import { Changes } from './changes.js';
import { Comebacks } from './comebacks.js';
import { EventBar } from './event-bar.js';
import { ExplanationSection } from './explanation.js';
import { Facts } from './facts.js';
import { GateBar } from './gate-bar.js';
import { RunHead } from './head.js';
import { MergedRuns } from './merged-runs.js';
import { OwnersSection } from './owners.js';
import { StackSection } from './stack.js';
import { StorySection } from './story.js';
import { SuspectsSection } from './suspects.js';
import { Timeline } from './timeline.js';
import { focusTitle } from './title-focus.js';
import { Comments, Turns } from './turns.js';
import { verifying } from './verify.js';

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
      <p class="soft untrusted">
        <code>{visible(id)}</code> is the id of no run. The link may be incomplete, or the run was so old that
        it was removed.
      </p>
      <p>
        {led.value?.to === id && (
          <>
            <a href={addressOfRun({ run_id: led.value.from, state: 'merged' })}>
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
