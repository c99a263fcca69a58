import type { DoubleClock, Fault, Faults, Hold, Holds } from '@culprit/github-double';
import { type Answer, ok, refuse } from './answer.js';
import type { DoubleRepository, DoubleToken, LiveOptions } from './options.js';
import type { State } from './state.js';

export interface ControlParts {
  readonly options: LiveOptions;
  readonly state: State;
  readonly clock: DoubleClock;
  readonly faults: Faults;
  readonly holds: Holds;
  readonly requests: readonly unknown[];
  readonly bugs: readonly string[];
  readonly violations: readonly string[];
}

/** How long a request for held requests stays open, in real milliseconds. */
const HELD_MS = 20_000;

/** Control endpoints for tests in another process, below `/__double/`, never for a page in a browser, which sends an `Origin`. */
export async function control(
  { options, state, clock, faults, holds, requests, bugs, violations }: ControlParts,
  asked: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly origin: string | undefined;
  },
): Promise<Answer> {
  if (asked.origin !== undefined) return refuse(403, 'Not for browsers');
  const given = asked.body === '' ? {} : (JSON.parse(asked.body) as Record<string, unknown>);
  switch (`${asked.method} ${asked.path.slice('/__double'.length)}`) {
    case 'POST /faults':
      faults.add(given as unknown as Fault);
      return ok({});
    case 'DELETE /faults':
      faults.clear();
      return ok({});
    case 'POST /holds':
      holds.add(given as unknown as Hold);
      return ok({});
    case 'GET /held':
      return ok({ held: await holds.seen(HELD_MS) });
    case 'POST /release':
      return ok({ released: holds.release() });
    case 'POST /clock':
      clock.advance(Number(given.advance_ms) || 0);
      return ok({ now: clock.now() });
    case 'POST /repositories':
      changeRepository(options, state, given as unknown as Partial<DoubleRepository> & { name: string });
      return ok({});
    case 'POST /tokens': {
      const { token, ...changes } = given as unknown as Partial<DoubleToken> & { token: string };
      const known = options.tokens[token] ?? { user: token, scopes: [] };
      options.tokens[token] = { ...known, ...changes };
      return ok({});
    }
    case 'POST /crowd': {
      const { repository, user, count } = given as { repository: string; user: string; count: number };
      state.addAll(Array.from({ length: count }, () => ({ repository, user, title: 'other', body: '' })));
      return ok({});
    }
    case 'POST /transfer': {
      const { repository, number, to } = given as { repository: string; number: number; to: string };
      const issue = state.issue(repository, number);
      if (issue !== null) state.move(issue, to);
      return ok({});
    }
    case 'GET /issues':
      return ok({ issues: state.issues });
    case 'GET /requests':
      return ok({ requests, bugs, violations });
    default:
      return refuse(404, '404 Not found');
  }
}

/** Changes or adds a project. A rename leaves a redirect under the old path. */
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
