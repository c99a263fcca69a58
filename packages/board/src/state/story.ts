import type { Run, RunStory } from '@culprit/core';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { report } from './session.js';

/** The story of the run that is shown; `null` until it has loaded. */
export const story = signal<{ readonly runId: string; readonly story: RunStory } | null>(null);

let latest = '';

/** Reads the story of a run, again with each version of the run. A run that cannot have come back has none. */
export async function wantStory({
  run_id,
  version,
  state,
  regression_of,
  members = [],
}: Pick<Run, 'run_id' | 'version' | 'state' | 'regression_of' | 'members'>): Promise<void> {
  const wanted = `${run_id} ${version}`;
  latest = wanted;
  if (story.value?.runId !== run_id) story.value = null;
  const may = regression_of !== null || state === 'published' || state === 'merged' || members.length > 0;
  if (!may) return;
  try {
    const found = await api.getStory({ run_id });
    if (latest === wanted) story.value = { runId: run_id, story: found };
  } catch (error) {
    if (latest === wanted) report(error);
  }
}
