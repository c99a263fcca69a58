import { CulpritError, RUN_STATES, type RunState, type RunSummary, TRANSITIONS } from '@culprit/core';

/** Every change of every run. */
export const ALL = 'all';
const MOST_TOPICS = 20;
const TOPIC = /^(?:run:[A-Za-z0-9_-]{1,64}|project:[A-Za-z0-9._-]{1,64}|state:[a-z_]{1,20})$/;

/** What a reader wants to hear of; several mean any of them. `key` is the same for readers that want the same. */
export interface Filter {
  readonly key: string;
  readonly topics: readonly string[];
}
export const EVERYTHING: Filter = { key: ALL, topics: [ALL] };

/** `?topics=state:staged_raw,project:shop,run:run_1`; without any, everything. */
export function parseTopics(text: string | undefined): Filter {
  if (text === undefined || text === '') return EVERYTHING;
  const topics = [...new Set(text.split(','))].sort();
  const known = topics.every((topic) => TOPIC.test(topic) && isState(topic));
  if (!known || topics.length > MOST_TOPICS) {
    throw new CulpritError(
      'malformed',
      `"topics" must be at most ${MOST_TOPICS} of state:STATE, project:NAME and run:ID, separated by commas.`,
      { path: 'topics' },
    );
  }
  return { key: topics.join(','), topics };
}

function isState(topic: string): boolean {
  return !topic.startsWith('state:') || RUN_STATES.some((state) => topic === `state:${state}`);
}

/**
 * Topics that a change is told to. Those who follow a state also hear of a run that has left it; where the state before
 * is not known, all states that it can have come from hear of it.
 */
export function topicsOf(run: RunSummary, before: RunState | null): readonly string[] {
  const left = before === null ? statesBefore(run.state) : [before];
  const states = new Set([run.state, ...left]);
  return [
    ALL,
    `run:${run.run_id}`,
    `project:${run.project}`,
    ...[...states].map((state) => `state:${state}`),
  ];
}

function statesBefore(state: RunState): readonly RunState[] {
  return Object.values(TRANSITIONS)
    .filter(({ to }) => to === state)
    .map(({ from }) => from);
}
