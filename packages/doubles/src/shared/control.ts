import type { IncomingHttpHeaders } from 'node:http';
import type { DoubleClock } from './clock.js';
import type { BaseRepository, BaseToken } from './options.js';
import type { Fault, Faults, Hold, Holds } from './rules.js';
import type { Answer } from './server.js';

type Given = Readonly<Record<string, unknown>>;

/** What a host contributes to the control API. */
export interface Controls {
  readonly state: {
    readonly issues: readonly unknown[];
    rename(from: string, to: string): void;
    addAll(issues: readonly OtherIssue[]): void;
    transfer?(repository: string, number: number, to: string): void;
  };
  /** A token of a user without any rights. */
  tokenOf(user: string): BaseToken;
  /** Endpoints that only this double has, such as `POST /apps`. */
  readonly endpoints?: Readonly<Record<string, (given: Given) => void>>;
}

interface OtherIssue {
  readonly repository: string;
  readonly user: string;
  readonly title: string;
  readonly body: string;
  readonly labels: string[];
  readonly assignees: string[];
}

interface Controlled {
  readonly options: {
    readonly repositories: Record<string, BaseRepository>;
    readonly tokens: Record<string, BaseToken>;
  };
  readonly clock: DoubleClock;
  readonly faults: Faults;
  readonly holds: Holds;
  readonly requests: readonly unknown[];
  readonly bugs: readonly string[];
  readonly violations: readonly string[];
}

interface ControlRequest {
  readonly method: string;
  readonly url: URL;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** How long a request for held requests stays open, in real milliseconds. */
const HELD_MS = 20_000;

/**
 * Control endpoints for tests in another process, below `/__double/`. Only on loopback, where the doubles listen, and never
 * for a page in a browser, which sends an `Origin`.
 */
export async function control(
  double: Controlled,
  host: Controls,
  { method, url, text, headers }: ControlRequest,
): Promise<Answer> {
  if (headers.origin !== undefined) return { status: 403, body: { message: 'Not for browsers' } };
  const given = text === '' ? {} : (JSON.parse(text) as Given);
  const endpoint = `${method} ${url.pathname.slice('/__double'.length)}`;
  const work = host.endpoints?.[endpoint] ?? endpoints(double, host)[endpoint];
  if (work === undefined) return { status: 404, body: { message: 'Not Found' } };
  return { status: 200, body: (await work(given)) ?? {} };
}

function endpoints(
  { options, clock, faults, holds, requests, bugs, violations }: Controlled,
  { state, tokenOf }: Controls,
): Readonly<Record<string, (given: Given) => unknown>> {
  const { repositories, tokens } = options;
  const moves: Readonly<Record<string, (given: Given) => unknown>> =
    state.transfer === undefined
      ? {}
      : {
          'POST /transfer': ({ repository, number, to }) =>
            state.transfer?.(String(repository), Number(number), String(to)),
        };
  return {
    ...moves,
    'POST /faults': (given) => faults.add(given as unknown as Fault),
    'DELETE /faults': () => faults.clear(),
    'POST /holds': (given) => holds.add(given as unknown as Hold),
    'GET /held': async () => ({ held: await holds.seen(HELD_MS) }),
    'POST /release': () => ({ released: holds.release() }),
    'POST /clock': ({ advance_ms }) => {
      clock.advance(Number(advance_ms) || 0);
      return { now: clock.now() };
    },
    'POST /repositories': ({ name, ...changes }) => {
      const known = repositories[String(name)] ?? { git: '/nonexistent' };
      const { renamedTo } = changes as Partial<BaseRepository>;
      // A rename leaves a redirect under the old name.
      if (renamedTo !== undefined && known.renamedTo === undefined) {
        repositories[renamedTo] = known;
        state.rename(String(name), renamedTo);
      }
      repositories[String(name)] = { ...known, ...changes };
    },
    'POST /tokens': ({ token, ...changes }) => {
      const known = tokens[String(token)] ?? tokenOf(String(token));
      tokens[String(token)] = { ...known, ...changes };
    },
    /** Other issues of one user, without the limits of its requests. */
    'POST /crowd': ({ repository, user, count }) => {
      const one = { repository: String(repository), user: String(user), title: 'other', body: '' };
      state.addAll(Array.from({ length: Number(count) }, () => ({ ...one, labels: [], assignees: [] })));
    },
    'GET /issues': () => ({ issues: state.issues }),
    'GET /requests': () => ({ requests, bugs, violations }),
  };
}
