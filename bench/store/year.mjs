// A year of crashes of two projects with 2,000 releases, and whom one in a hundred of them names.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDelivery } from '@culprit/core/internal/testing/builders';

export const PROJECTS = ['default', 'second'];
/** Recorded releases of a project: as many as are kept. */
export const OF_PROJECT = 1_000;
const YEAR_MS = 365 * 86_400_000;
/** One run in so many names a person; each erasing takes another one. */
const NAMING = 100;
export const REVIEWER = { name: 'ada', token: 'reviewer-token-of-the-bench-0000000' };
const PEOPLE = 10;

export const personOf = (n) => `u-okafor-${7_000 + (n % PEOPLE)}`;
export const versionOf = (project, n) => `${project}@${n}.0.0`;

/** The nth of `size` crashes. `again`: of the same run, later. */
export function crashOf(n, size, again = 0) {
  const project = PROJECTS[n % PROJECTS.length];
  const release = Math.min(OF_PROJECT - 1, Math.floor((n * OF_PROJECT) / size) + again);
  const named = n % NAMING === 0 ? ` of ${personOf(n / NAMING)}` : '';
  const frames = Array.from({ length: 12 }, (_, at) => ({
    file: `src/part${at}.js`,
    line: 10 + at,
    function: at === 11 ? `work${n}` : `step${at}`,
    in_app: at > 5,
  }));
  const crash = {
    event_id: `y-${n}-${again}`,
    message: `The cart${named} has no price ${n}`,
    fingerprint: [`year-${n}`],
    platform: 'node',
    level: 'error',
    release: versionOf(project, release),
    environment: 'production',
    tags: { region: 'eu' },
    extra: { context: 'x'.repeat(1_000) },
    stack_trace: { frames },
  };
  return makeDelivery({ sequence: 0, event_id: crash.event_id, project, crash });
}

/** A clock that `at` sets, in shares of the year that ends now. */
export function yearClock() {
  const start = Date.now() - YEAR_MS;
  let now = start;
  return {
    now: () => now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    at(share) {
      now = start + Math.round(share * YEAR_MS);
    },
  };
}
