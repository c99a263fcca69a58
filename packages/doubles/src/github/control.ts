import type { DoubleClock } from './clock.js';
import type { DoubleApp, DoubleOptions, DoubleRepository, DoubleToken } from './options.js';
import { type Answer, refuse } from './rest/request.js';
import { type ControlRequest, type SharedParts, sharedControl } from './shared-control.js';
import type { State } from './state.js';

/** Options with repositories and tokens that may change while the double runs. */
export type LiveOptions = Omit<DoubleOptions, 'repositories' | 'tokens' | 'apps' | 'webhook'> & {
  repositories: Record<string, DoubleRepository>;
  tokens: Record<string, DoubleToken>;
  apps?: Record<string, DoubleApp>;
  webhook?: NonNullable<DoubleOptions['webhook']>;
};

export interface ControlParts extends SharedParts {
  readonly options: LiveOptions;
  readonly state: State;
  readonly clock: DoubleClock;
}

export function control(parts: ControlParts, asked: ControlRequest): Promise<Answer> {
  return sharedControl(parts, asked, { refuse, own: (endpoint, given) => own(parts, endpoint, given) });
}

function own(
  { options, state, clock }: ControlParts,
  endpoint: string,
  given: Record<string, unknown>,
): Answer {
  const ok = (body: unknown = {}): Answer => ({ status: 200, body });
  switch (endpoint) {
    case 'POST /clock':
      clock.advance(Number(given.advance_ms) || 0);
      return ok({ now: clock.now() });
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
