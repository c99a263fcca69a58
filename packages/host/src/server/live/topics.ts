import { CulpritError, type RunState, type RunSummary } from '@culprit/core';
import { RUN_STATES, TRANSITIONS } from '@culprit/core/internal/domain/run';

/** Every change of every run. */
export const ALL = 'all';
const MAX_TOPICS = 20;
const TOPIC = /^(?:run:[A-Za-z0-9_-]{1,64}|project:[A-Za-z0-9._-]{1,64}|state:[a-z_]{1,20})$/;

/**
 * The topics that a reader follows; a run has to match one, and be of the projects that the reader may see. Equal filters share a
 * `key`.
 */
export interface Filter {
  readonly key: string;
  readonly topics: readonly string[];
  /** `null`: all. */
  readonly projects: readonly string[] | null;
}
export const EVERYTHING: Filter = { key: ALL, topics: [ALL], projects: null };

/** The filter within the projects of an identity. */
export function withinProjects(filter: Filter, projects: Filter['projects']): Filter {
  if (projects === null) return filter;
  // No topic has a blank.
  return { ...filter, key: `${filter.key} ${[...projects].sort().join(',')}`, projects };
}

export function mayShow({ projects }: Filter, run: Pick<RunSummary, 'project'>): boolean {
  return projects === null || projects.includes(run.project);
}

/** `?topics=state:staged_raw,project:shop,run:run_1`; default: every run. */
export function parseTopics(text: string | undefined): Filter {
  if (text === undefined || text === '') return EVERYTHING;
  const topics = [...new Set(text.split(','))].sort();
  const known = topics.every((topic) => TOPIC.test(topic) && isState(topic));
  if (!known || topics.length > MAX_TOPICS) {
    throw new CulpritError(
      'malformed',
      `"topics" must be at most ${MAX_TOPICS} of state:STATE, project:NAME and run:ID, separated by commas.`,
      { path: 'topics' },
    );
  }
  return { key: topics.join(','), topics, projects: null };
}

function isState(topic: string): boolean {
  return !topic.startsWith('state:') || RUN_STATES.some((state) => topic === `state:${state}`);
}

/**
 * Topics that a change matches. Followers of a state also receive runs that leave it; if the previous state is unknown, every
 * state that the run can come from matches.
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
