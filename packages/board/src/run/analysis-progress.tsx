import type { AnalysisStep } from '@culprit/core/internal/pipeline/analysis';
import { plural, span } from '../format.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Part } from '../parts/part.js';
import { progress } from '../state/feed.js';

interface Step {
  readonly name: string;
  readonly doing: string;
  readonly done: (detail: AnalysisStep['detail']) => string;
}

const STEPS: readonly Step[] = [
  {
    name: 'tree',
    doing: 'List the files of the crashed commit',
    done: ({ files }) =>
      typeof files === 'number' ? `${plural(files, 'file')} listed` : 'Crashed commit unknown',
  },
  {
    name: 'locate',
    doing: 'Locate the frames',
    done: ({ located, frames }) => `${count(located)} of ${plural(count(frames), 'frame')} located`,
  },
  {
    name: 'blame',
    doing: 'Blame the lines',
    done: ({ files }) => `${plural(Array.isArray(files) ? files.length : 0, 'file')} blamed`,
  },
  {
    name: 'rank',
    doing: 'Read the diffs and rank the commits',
    done: ({ diffs, suspects }) =>
      `${plural(count(diffs), 'diff')} read, ${plural(Array.isArray(suspects) ? suspects.length : 0, 'suspect')}`,
  },
  { name: 'explain', doing: 'Explain the crash', done: () => 'Explained' },
  { name: 'compose', doing: 'Write the draft', done: () => 'Draft written' },
];

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** What an analysis has done so far, and what it does now. Another process of a fleet may run it; then only the history tells. */
export function AnalysisProgress({ runId }: { readonly runId: string }) {
  const finished = new Map((progress.value.get(runId) ?? []).map((step) => [step.name, step]));
  const next = STEPS.findLastIndex(({ name }) => finished.has(name)) + 1;
  const place = `step ${Math.min(next + 1, STEPS.length)} of ${STEPS.length}`;
  return (
    <Part id="analysis" title="Analysis" note={finished.size === 0 ? 'in progress' : place}>
      <ol class="steps stack">
        {STEPS.map(({ name, doing, done }, at) => {
          const step = finished.get(name);
          const state = step !== undefined ? 'done' : at === next ? 'now' : at < next ? 'skipped' : 'later';
          return (
            <li key={name} data-step={state}>
              <span class={state === 'now' ? 'mark busy-dot' : 'mark'}>
                {state === 'done' && <Icon path={ICONS.check} size={12} />}
              </span>
              <span>
                {step === undefined ? doing : step.error === null ? done(step.detail) : `${doing}: failed`}
                {state === 'now' && '…'}
                {state === 'skipped' && <span class="soft"> · not needed</span>}
              </span>
              {step !== undefined && <span class="soft num">{span(step.ms)}</span>}
            </li>
          );
        })}
      </ol>
    </Part>
  );
}

/** The step that runs now, for one line. */
export function stepNow(runId: string): string | null {
  const steps = progress.value.get(runId) ?? [];
  const last = STEPS.findLastIndex(({ name }) => steps.some((step) => step.name === name));
  return STEPS[last + 1]?.doing ?? null;
}
