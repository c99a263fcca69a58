import type { Faults } from './faults.js';
import type { Holds } from './holds.js';
import type { Fault, Hold } from './options.js';

/** What every host's double has under control. */
export interface SharedParts {
  readonly options: { readonly repositories: Record<string, Named> };
  readonly state: { readonly issues: readonly unknown[]; rename(from: string, to: string): void };
  readonly faults: Faults;
  readonly holds: Holds;
  readonly requests: readonly unknown[];
  readonly bugs: readonly string[];
  readonly violations: readonly string[];
}

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly origin: string | undefined;
}

interface Named {
  readonly git: string;
  readonly renamedTo?: string;
}

interface Controlled {
  readonly status: number;
  readonly body: unknown;
}

/** What differs between the doubles. */
interface Host<Answer> {
  refuse(status: number, message: string): Answer;
  /** Answers an endpoint that only this double has, such as `POST /tokens`. */
  own(endpoint: string, given: Record<string, unknown>): Answer;
}

/** How long a request for held requests stays open, in real milliseconds. */
const HELD_MS = 20_000;

/**
 * Control endpoints for tests in another process, below `/__double/`. Only on loopback, where the doubles listen, and never
 * for a page in a browser, which sends an `Origin`.
 */
export async function sharedControl<Answer>(
  { options, state, faults, holds, requests, bugs, violations }: SharedParts,
  { method, path, body, origin }: ControlRequest,
  { refuse, own }: Host<Answer>,
): Promise<Answer | Controlled> {
  if (origin !== undefined) return refuse(403, 'Not for browsers');
  const ok = (shown: unknown = {}): Controlled => ({ status: 200, body: shown });
  const given = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  const endpoint = `${method} ${path.slice('/__double'.length)}`;
  switch (endpoint) {
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
    case 'POST /repositories':
      changeRepository(options.repositories, state, given as unknown as Change);
      return ok();
    case 'GET /issues':
      return ok({ issues: state.issues });
    case 'GET /requests':
      return ok({ requests, bugs, violations });
    default:
      return own(endpoint, given);
  }
}

type Change = Partial<Named> & { readonly name: string };

/** Changes or adds a repository. A rename leaves a redirect under the old name. */
function changeRepository(
  repositories: Record<string, Named>,
  state: SharedParts['state'],
  { name, ...changes }: Change,
): void {
  const known = repositories[name] ?? { git: '/nonexistent' };
  const { renamedTo } = changes;
  if (renamedTo !== undefined && known.renamedTo === undefined) {
    repositories[renamedTo] = known;
    state.rename(name, renamedTo);
  }
  repositories[name] = { ...known, ...changes };
}
