import type { DoubleClock } from './clock.js';
import type { Faults } from './faults.js';
import type { Holds } from './holds.js';
import type { DoubleApp, DoubleOptions, DoubleRepository, DoubleToken, Fault, Hold } from './options.js';
import { type Answer, refuse } from './rest/request.js';
import type { SeenRequest } from './server.js';
import type { State } from './state.js';

/** Options with repositories and tokens that may change while the double runs. */
export type LiveOptions = Omit<DoubleOptions, 'repositories' | 'tokens' | 'apps' | 'webhook'> & {
  repositories: Record<string, DoubleRepository>;
  tokens: Record<string, DoubleToken>;
  apps?: Record<string, DoubleApp>;
  webhook?: NonNullable<DoubleOptions['webhook']>;
};

export interface ControlParts {
  readonly options: LiveOptions;
  readonly state: State;
  readonly clock: DoubleClock;
  readonly faults: Faults;
  readonly holds: Holds;
  readonly requests: readonly SeenRequest[];
  readonly bugs: readonly string[];
  readonly violations: readonly string[];
}

/** How long a request for held requests stays open, in real milliseconds. */
const HELD_MS = 20_000;

/**
 * Control endpoints for tests in another process, below `/__double/`. Only on loopback, where the double listens, and never
 * for a page in a browser, which sends an `Origin`.
 */
export async function control(
  parts: ControlParts,
  asked: {
    readonly method: string;
    readonly url: URL;
    readonly body: string;
    readonly origin: string | undefined;
  },
): Promise<Answer> {
  const { faults, holds, clock, options, state, requests, bugs, violations } = parts;
  if (asked.origin !== undefined) return refuse(403, 'Not for browsers');
  const ok = (body: unknown = {}): Answer => ({ status: 200, body });
  const given = asked.body === '' ? {} : (JSON.parse(asked.body) as Record<string, unknown>);
  switch (`${asked.method} ${asked.url.pathname.slice('/__double'.length)}`) {
    case 'POST /faults':
      faults.add(given as unknown as Fault);
      return ok();
    case 'DELETE /faults':
      faults.clear();
      return ok();
    case 'POST /holds':
      holds.add(given as unknown as Hold);
      return ok();
    case 'GET /held':
      return ok({ held: await holds.seen(HELD_MS) });
    case 'POST /release':
      return ok({ released: holds.release() });
    case 'POST /clock':
      clock.advance(Number(given.advance_ms) || 0);
      return ok({ now: clock.now() });
    case 'POST /repositories':
      changeRepository(options, state, given as unknown as Partial<DoubleRepository> & { name: string });
      return ok();
    case 'POST /tokens': {
      const { token, ...changes } = given as unknown as Partial<DoubleToken> & { token: string };
      const known = options.tokens[token] ?? { user: token, permissions: {} };
      options.tokens[token] = { ...known, ...changes };
      return ok();
    }
    case 'POST /apps': {
      const { id, ...app } = given as unknown as DoubleApp & { id: string };
      options.apps = { ...options.apps, [id]: app };
      return ok();
    }
    case 'POST /crowd':
      addIssues(state, given as unknown as Crowd);
      return ok();
    case 'POST /transfer': {
      const { repository, number, to } = given as unknown as Transfer;
      state.transfer(repository, number, to);
      return ok();
    }
    case 'GET /issues':
      return ok({ issues: state.issues });
    case 'GET /requests':
      return ok({ requests, bugs, violations });
    default:
      return refuse(404, 'Not Found');
  }
}

interface Transfer {
  readonly repository: string;
  readonly number: number;
  readonly to: string;
}
interface Crowd {
  readonly repository: string;
  readonly user: string;
  readonly count: number;
}

/** Other issues of one user, without the limits of its requests. */
function addIssues(state: State, { repository, user, count }: Crowd): void {
  const one = { repository, user, title: 'other', body: '', labels: [], assignees: [] };
  state.addAll(Array.from({ length: count }, () => one));
}

/** Changes or adds a repository. A rename leaves a redirect under the old name, as on GitHub. */
function changeRepository(
  options: LiveOptions,
  state: State,
  { name, ...changes }: Partial<DoubleRepository> & { name: string },
): void {
  const known = options.repositories[name] ?? { git: '/nonexistent' };
  const { renamedTo } = changes;
  if (renamedTo !== undefined && known.renamedTo === undefined) {
    options.repositories[renamedTo] = known;
    state.rename(name, renamedTo);
  }
  options.repositories[name] = { ...known, ...changes };
}
