import { type ControlRequest, type DoubleClock, type SharedParts, sharedControl } from '../github/index.js';
import { type Answer, ok, refuse } from './answer.js';
import type { DoubleToken, LiveOptions } from './options.js';
import type { State } from './state.js';

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
  switch (endpoint) {
    case 'POST /clock':
      clock.advance(Number(given.advance_ms) || 0);
      return ok({ now: clock.now() });
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
    default:
      return refuse(404, '404 Not found');
  }
}
