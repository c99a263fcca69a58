import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, type Scope } from '@culprit/core/internal/domain/access';
import type { CoreBench } from './core-bench.js';
import { type Answer, type Ask, httpClient } from './http-client.js';

/** Makes a token over the API; resolves with its secret and id. */
export async function makeToken(
  bench: CoreBench,
  body: object,
): Promise<{ readonly token: string; readonly id: string }> {
  const made = await bench.api({ method: 'POST', path: '/api/v1/tokens', body });
  if (made.status !== 201) throw new Error(made.text);
  return made.json;
}

export function clientOf({ core, host }: CoreBench, token: string) {
  return httpClient(core.port, { host, authorization: `Bearer ${token}` });
}

/** The text of a JSON-RPC response. */
export async function callMcp(
  api: ReturnType<typeof httpClient>,
  method: string,
  params: object,
): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = { jsonrpc: '2.0', id: 1, method, params };
  return (await api({ method: 'POST', path: '/mcp', headers, body })).text;
}

export function callTool(api: ReturnType<typeof httpClient>, name: string, input: object): Promise<string> {
  return callMcp(api, 'tools/call', { name, arguments: input });
}

/** A row of docs/reference/access.md. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope | 'any';
  readonly roles: Readonly<Record<string, boolean>>;
  readonly limited: 'its projects' | 'refused' | 'yes';
}

export function documentedRows(): Row[] {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/access.md'), 'utf8');
  const lines = page.split('\n').filter((line) => /^\| (?:GET|POST|PUT|DELETE) /.test(line));
  return lines.map((line) => {
    const [method = '', path = '', scope = '', ...rest] = line
      .split('|')
      .map((cell) => cell.replaceAll('`', '').trim())
      .slice(1, -1);
    const roles = Object.fromEntries(Object.keys(ROLES).map((role, at) => [role, rest[at] === 'yes']));
    return { method, path, scope: scope as Row['scope'], roles, limited: rest.at(-1) as Row['limited'] };
  });
}

/** Where the server in the description says that a reviewer is needed. */
export function describedRoutes(description: Answer['json']): string[] {
  return Object.entries<Record<string, { security: object[] }>>(description.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security }]) =>
        security.some((scheme) => 'reviewer' in scheme) ? [`${method.toUpperCase()} ${path}`] : [],
      ),
  );
}

/** A word in everything that the project `bank` has, and nothing else. */
export const SECRET = 'zebrafish';

export const ABSENT = 'run_00000000000000000000000000';

/** Valid bodies of routes of a run, so that a refusal is about the run. The body of others is malformed on purpose: nothing happens. */
const BODIES: Readonly<Record<string, (other: string) => object>> = {
  '/gate1/approve': () => ({}),
  '/gate1/reject': () => ({ reason: 'r' }),
  '/gate2/approve': () => ({}),
  '/gate2/reject': () => ({ reason: 'r', to: 'rejected' }),
  '/reopen': () => ({}),
  '/merge': (other) => ({ into: other }),
  '/split': () => ({}),
  '/snooze': () => ({ until: { kind: 'release' } }),
  '/wake': () => ({}),
  '/claim': () => ({}),
  '/pin': () => ({}),
  '/comments': () => ({ comment: 'c' }),
  '/hand-offs': () => ({ to: 'webhook' }),
  '/resolution': () => ({}),
  '/draft': () => ({ title: 't', body: 'b' }),
  '/investigation': () => ({}),
  '/finding': () => ({
    ...{ commits: ['0000000'], mechanism: 'm', place: { path: 'a', line: 1 }, quote: 'abc' },
    ...{ probability: 0.5, none_probability: 0 },
  }),
  '/suspects': () => ({ by: 'ranking' }),
  '/questions/read-source': () => ({ path: 'a' }),
  '/questions/list-folder': () => ({}),
  '/questions/search-source': () => ({ text: 'ab' }),
  '/questions/search-history': () => ({ text: 'ab' }),
  '/questions/show-commit': () => ({ sha: '0000000' }),
  '/questions/blame-lines': () => ({ path: 'a', from: 1, to: 1 }),
  '/questions/show-crash': () => ({}),
  '/questions/show-ranking': () => ({}),
};

export function bodyBeyond({ path }: Row, other: string): object {
  return BODIES[path.replace(/^.*:run_id/, '')]?.(other) ?? (path.includes(':project') ? {} : []);
}

/** Its query, where a route needs one. */
const QUERIES: Readonly<Record<string, (run: string) => string>> = {
  '/api/v1/activity': (run) => `?runs=${run}`,
  '/api/v1/search-values': () => '?field=project',
};

export function askOf({ method, path }: Row, run: string, project: string, body: object): Ask {
  const real = path
    .replace(':run_id', run)
    .replace(':number', '1')
    .replace(':project', project)
    .replace(':sha', '0'.repeat(40))
    .replace(/[:*]\w+/g, 'x');
  const sends = method === 'POST' || method === 'PUT';
  return { method, path: real + (QUERIES[path]?.(run) ?? ''), ...(sends ? { body } : {}) };
}

/** As the API description writes it. */
export function nameOfRow({ method, path }: Row): string {
  return `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`;
}
