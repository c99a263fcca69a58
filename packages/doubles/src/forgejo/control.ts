import { type ControlRequest, type SharedParts, sharedControl } from '../github/index.js';
import { type Answer, refuse } from './answer.js';
import type { DoubleToken, LiveOptions } from './options.js';
import type { State } from './state.js';

export interface ControlParts extends SharedParts {
  readonly options: LiveOptions;
  readonly state: State;
}

export function control(parts: ControlParts, asked: ControlRequest): Promise<Answer> {
  return sharedControl(parts, asked, { refuse, own: (endpoint, given) => own(parts, endpoint, given) });
}

function own({ options, state }: ControlParts, endpoint: string, given: Record<string, unknown>): Answer {
  switch (endpoint) {
    case 'POST /tokens': {
      const { token, ...changes } = given as unknown as Partial<DoubleToken> & { token: string };
      const known = options.tokens[token] ?? { user: token, scopes: [] };
      options.tokens[token] = { ...known, ...changes };
      return { status: 200, body: {} };
    }
    case 'POST /crowd': {
      const { repository, user, count } = given as { repository: string; user: string; count: number };
      const one = { repository, user, title: 'other', body: '', labels: [], assignees: [] };
      state.addAll(Array.from({ length: count }, () => one));
      return { status: 200, body: {} };
    }
    default:
      return refuse(404, 'Not Found');
  }
}
