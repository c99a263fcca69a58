import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { openSocket } from '../support/websocket-client.js';
import {
  inCi,
  onForgejo,
  onGithub,
  onGitlab,
  onTwoSystems,
  withOpentelemetry,
  withSignIn,
} from './host-examples.js';
import { commit, home, run, type Sandbox, start } from './sandbox.js';
import { receivesWebhooks } from './webhook-example.js';

type Check = (t: Test, folder: string, node: string) => Promise<void>;

const SERVER_ENV = { SERVICE_TOKEN: 'service-token', REVIEWER_TOKEN: 'reviewer-token-0123456789abcdef' };

/** Each example is copied to a folder where the packed tarballs are installed, and run there. */
const EXAMPLES: Readonly<Record<string, Check>> = {
  async embed(t, folder, node) {
    commit(folder, 'Add up the prices of an order');
    const { status, stdout, stderr } = await run(folder, node, ['main.mjs']);
    t.equal(status, 0, stderr);
    t.match(stdout, /^TypeError/);
    t.match(stdout, 'suspect: Add up the prices of an order');
    t.match(stdout, /http:\/\/127\.0\.0\.1:8000\/outbox\/1\n$/);
    t.equal(readdirSync(join(folder, 'outbox')).filter((name) => name.endsWith('.md')).length, 1);
  },
  'node-http': served,
  express: served,
  fastify: served,
  hono: served,
  koa: served,
  nest: served,
  nextjs,
  'api-client': prints(
    /^The cart has no price: 1 crashes\n\[shop\] .*\nAs expected, core refused the old digest: .*\n$/,
  ),
  'two-engines': prints(/^pay: 1 × staged_raw\n$/),
  'custom-tracker': prints(/(^|\n)ok the crash has a title.*\n202 TypeError: no price\n$/s),
  'custom-publisher': prints(/(^|\n)ok .*\nhttps:\/\/issues\.example\.com\/1-\S+\n$/s),
  fleet,
  github: onGithub,
  gitlab: onGitlab,
  forgejo: onForgejo,
  'two-systems': onTwoSystems,
  opentelemetry: withOpentelemetry,
  'sign-in': withSignIn,
  ci: inCi,
  commonjs: prints(/^staged_draft\n$/, 'main.cjs'),
  'webhook-receiver': receivesWebhooks,
  'source-maps': async (t) => t.comment('built and run by source-maps-tools.full.test.ts'),
};

/** The main file, if not `main.mjs`. */
const MAINS: Readonly<Record<string, string>> = {
  commonjs: 'main.cjs',
  nextjs: 'culprit.js',
  ci: 'shop.test.mjs',
  'sign-in': 'culprit.json',
  'source-maps': 'app.js',
};
/** Maximum lines of a main file, if not 54. */
const LINES: Readonly<Record<string, number>> = { embed: 30, fleet: 73 };

export function exampleNames(): readonly string[] {
  return readdirSync(join(home, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .sort();
}

/** Dependencies that every example's package.json has; versions are exact. */
export function exampleDependencies(): Readonly<Record<string, string>> {
  const all = exampleNames().map((name) => {
    const text = readFileSync(join(home, 'examples', name, 'package.json'), 'utf8');
    return (JSON.parse(text) as { readonly dependencies: Record<string, string> }).dependencies;
  });
  return Object.assign({}, ...all);
}

/** Runs every example with the given Node, two at a time. */
export async function runExamples(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  t.strictSame(exampleNames(), Object.keys(EXAMPLES).sort(), 'each example is run');
  const place = mkdtempSync(join(sandbox.directory, 'examples-'));
  t.jobs = 2;
  await Promise.all(
    Object.entries(EXAMPLES).map(([name, check]) =>
      t.test(name, { buffered: true }, async (t) => {
        const folder = join(place, name);
        cpSync(join(home, 'examples', name), folder, { recursive: true });
        const main = MAINS[name] ?? 'main.mjs';
        const lines = readFileSync(join(folder, main), 'utf8').trimEnd().split('\n').length;
        t.ok(lines <= (LINES[name] ?? 54), `${lines} lines`);
        await check(t, folder, node);
      }),
    ),
  );
}

/** A crash sent to either edge appears on every core; each gate is approved on another core. */
async function fleet(t: Test, folder: string, node: string): Promise<void> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return t.comment('needs redis-server');
  const base = await reservePort(7);
  const server = await start(
    folder,
    node,
    ['main.mjs'],
    { PORT: String(base) },
    /board (http:\S+)\/ · edges (\S+) (\S+)\n/,
  );
  const [, front = '', ...edges] = server.line;
  for (const [index, edge] of edges.entries()) {
    const headers = { 'x-service-token': 'fleet-service-token', 'content-type': 'application/json' };
    const body = JSON.stringify({ event_id: `e${index}`, message: 'the till is stuck' });
    t.equal((await fetch(`${edge}/api/v1/telemetry/ingest`, { method: 'POST', headers, body })).status, 202);
  }
  const headers = { authorization: 'Bearer fleet-reviewer-token' };
  const ask = async (url: string, method: string, path: string) =>
    (await fetch(url + path, { method, headers })).json() as Promise<{
      readonly runs?: readonly { readonly run_id: string; readonly occurrences: number }[];
      readonly status?: string;
    }>;
  let run: { readonly run_id: string; readonly occurrences: number } | undefined;
  while (run?.occurrences !== edges.length) {
    [run] = (await ask(front, 'GET', '/api/v1/runs')).runs ?? [];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [first, second] = [2, 3].map((offset) => `http://127.0.0.1:${base + offset}`);
  t.match(await ask(first ?? '', 'POST', `/api/v1/runs/${run.run_id}/gate1/approve`), { status: 'analyzed' });
  t.match(await ask(second ?? '', 'POST', `/api/v1/runs/${run.run_id}/gate2/approve`), {
    status: 'published',
  });
  t.equal(await server.stop(), 0, 'stops on SIGTERM');
}

function prints(pattern: RegExp, main = 'main.mjs'): Check {
  return async (t, folder, node) => {
    const { status, stdout, stderr } = await run(folder, node, [main]);
    t.equal(status, 0, stderr);
    t.match(stdout, pattern);
  };
}

async function served(t: Test, folder: string, node: string): Promise<void> {
  commit(folder, 'Open the shop');
  const env = { ...SERVER_ENV, PORT: String(await reservePort()) };
  const server = await start(folder, node, ['main.mjs'], env, /(http:\S+)\n/);
  const url = server.line[1] ?? '';
  await passGates(t, url);
  const { pathname, port } = new URL(url);
  const token = { authorization: `Bearer ${SERVER_ENV.REVIEWER_TOKEN}` };
  const feed = await openSocket(Number(port), `${pathname}/api/v1/live`, token);
  t.match(await feed.next(), { type: 'snapshot' }, 'the live feed');
  t.equal(await server.stop(), 0, 'stops on SIGTERM, though the feed is open');
}

/** Built and run on the Node of the tests only, because a build is slow. Route handlers have no live feed. */
async function nextjs(t: Test, folder: string, node: string): Promise<void> {
  if (node !== process.execPath) return t.comment('only on the Node that runs the tests');
  commit(folder, 'Open the shop');
  // Hard links, because Next.js reads nothing above the folder of the git repository.
  const modules = join(folder, '../../node_modules');
  t.match(await run(folder, 'cp', ['-al', modules, 'node_modules']), { status: 0 });
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const telemetry = { NEXT_TELEMETRY_DISABLED: '1' };
  const built = await run(folder, node, [next, 'build'], telemetry);
  t.equal(built.status, 0, built.stdout + built.stderr);
  if (built.status !== 0) return;
  const port = String(await reservePort());
  const env = { ...SERVER_ENV, ...telemetry, PORT: port };
  const server = await start(folder, node, [next, 'start', '--hostname', '127.0.0.1'], env, /Ready in/);
  await passGates(t, `http://127.0.0.1:${port}/culprit`);
  await server.stop();
}

/** A crash through the native door, both gates, one issue, the board; the service's own route still responds. */
async function passGates(t: Test, url: string): Promise<void> {
  const token = { authorization: `Bearer ${SERVER_ENV.REVIEWER_TOKEN}` };
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = token,
    body?: string,
  ) => {
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, json: JSON.parse((await answer.text()) || 'null') };
  };
  const native = { 'x-service-token': SERVER_ENV.SERVICE_TOKEN, 'content-type': 'application/json' };
  const crash = JSON.stringify({ event_id: 'e1', message: 'the till is stuck' });
  const sent = await ask('POST', '/api/v1/telemetry/ingest', native, crash);
  t.strictSame(sent, { status: 202, json: { id: 'e1', status: 'accepted' } });
  t.equal((await ask('POST', '/api/v1/telemetry/ingest', { 'x-service-token': 'wrong' }, crash)).status, 401);
  const [found] = (await ask('GET', '/api/v1/runs')).json.runs;
  const gate = (name: string) => ask('POST', `/api/v1/runs/${found.run_id}/${name}/approve`);
  t.match((await gate('gate1')).json, { status: 'analyzed' });
  t.match((await gate('gate2')).json, { status: 'published', issue_url: `${url}/outbox/1` });
  t.equal((await fetch(`${url}/`)).status, 200, 'the board');
  t.equal((await fetch(url)).status, 200, 'also without a slash');
  t.equal(await (await fetch(new URL('/shop', url))).text(), 'the shop', 'the server’s own route');
}
