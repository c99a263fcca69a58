import { execFileSync } from 'node:child_process';
import type { lookup } from 'node:dns';
import { join } from 'node:path';
import {
  type Check,
  type Connector,
  CulpritError,
  type Engine,
  type JsonValue,
  systemClock,
} from '@culprit/core';
import type { CodeHost, Explainer } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { DEFAULT_POLICY } from '@culprit/core/internal/policy';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import type { MemoryPublisher } from '@culprit/core/internal/testing/memory-publisher';
import { sequentialIds } from '@culprit/core/internal/testing/sequential-ids';
import { memoryPublisher } from '@culprit/core/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { temporaryFolder } from '../../../../../bench/faults/lib/folders.mjs';
import { runProgram } from '../../../src/demo/run-program.js';
import { buildWebshop } from '../../../src/demo/webshop.js';
import type { BuiltCommit } from '../../../src/replay/recipe.js';
import type { OidcSettings } from '../../../src/server/oidc/options.js';
import { BROWSER_ARGS, CHROMIUM, PATIENCE_MS } from '../board-bench.js';
import { type CoreBench, type CoreBenchOptions, coreBench, GATEWAY } from '../core-bench.js';
import { type LedInvestigator, ledInvestigator } from '../led-investigator.js';
import { CLIENT, fakeProvider } from '../openid.js';
import { withModel } from '../speaking-model.js';
import { type MapFolder, mapFolder } from './maps.js';

/** What the pictures show as the board's address, in place of a port that changes. */
const URL_OF_BOARD = 'http://culprit.example';
/** Where the pictures say that the web shop is. */
export const SHOP = '/srv/webshop';
/** The time at which every scene starts. */
const START = Date.parse('2026-11-20T14:05:00.000Z');
/** How long the model takes. */
const MODEL_MS = 1_400;
const HEARTBEAT = '{"type":"beat"}';

/** What a core finds whose disk is nearly full. */
const SURROUNDINGS: readonly Check[] = [
  { name: 'configuration', ok: true, detail: 'valid; data in /var/lib/culprit' },
  { name: 'secrets', ok: true, detail: 'all have at least 32 characters' },
  { name: 'clock', ok: true, detail: '0 s off api.github.com' },
  {
    ...{ name: 'disk space', ok: false, optional: true },
    detail:
      '0.4 GiB free, and the spool may grow to 1.0 GiB while core is down. Free space, or lower limits.spoolBytes.',
  },
  {
    ...{ name: 'repository', ok: false },
    detail: 'There is no git repository at /srv/webshop. Set REPOSITORY to the top folder of a clone.',
  },
];

/** No receiver has an address. */
const notFound = ((_name: string, _options: object, done: (error: Error) => void) =>
  done(new Error('The name has no address.'))) as unknown as typeof lookup;
/** Nothing is tried twice. */
const UNFOUND = { pausesMs: [], resolve: notFound };

export interface WorldOptions {
  readonly secondPerson?: boolean;
  /** Core keeps source maps, and sends webhooks to receivers that nobody finds. */
  readonly installation?: boolean;
  /** A model explains. */
  readonly model?: boolean;
  /** A model investigates when a reviewer says so. */
  readonly investigator?: boolean;
  /** The display name of an identity provider at which people can sign in. */
  readonly provider?: string;
}

/** A core with the web shop's repository, and a page that visits its board. Clock, ids and addresses are always the same. */
export interface World {
  readonly engine: Engine;
  readonly page: Page;
  readonly publisher: MemoryPublisher;
  /** The web shop's, oldest first. */
  readonly commits: readonly BuiltCommit[];
  readonly maps: MapFolder | null;
  readonly investigator: LedInvestigator | null;
  /** The folder of its repository. */
  readonly shop: string;
  /** Asks core as ada, with a bearer token. */
  readonly api: CoreBench['api'];
  /** The stack that the web shop prints. */
  readonly stderr: string;
  readonly core: { readonly url: string; close(): Promise<void> };
  /** Script errors and violations of the content security policy. */
  readonly problems: string[];
  /** ISO 8601, before the current time. */
  ago(hours: number): string;
  /** Advances the time of core and of the browser. */
  later(minutes: number): Promise<void>;
  /** Sends a crash through the webhook, or through another door. Returns the run. */
  crash(crash: object, door?: 'webhook' | 'sdk', at?: string): Promise<string>;
  /** A commit that fixes the web shop, in these releases. The checked out commit stays. */
  fix(...tags: readonly string[]): string;
  report(edge: string, figures: object): Promise<void>;
  /** The next analyses wait at the explanation, or go on again. */
  holdAnalyses(held: boolean): void;
  /** The next analyses fail with this error, while it is not `null`. */
  failAnalyses(error: Error | null): void;
  /** No message of core reaches the page, not even heartbeats. */
  mute(muted: boolean): void;
  /** While true, notifications fail. */
  deafen(deaf: boolean): void;
}

export async function createWorld(t: Test, options: WorldOptions = {}): Promise<World> {
  let now = START;
  const clock = { ...systemClock, now: () => now };
  const publisher = memoryPublisher({ clock, retryAfterMs: 3_600_000 });
  const shop = join(temporaryFolder(t, 'states'), 'webshop');
  const commits = buildWebshop(shop, new Date(START));
  const maps = options.installation === true ? mapFolder(t, clock.now) : null;
  const switches = switchable(publisher);
  const investigator = options.investigator === true ? ledInvestigator() : null;
  const bench = await coreBench({
    clock,
    ids: sequentialIds(),
    publicUrl: URL_OF_BOARD,
    dataDirectory: '/var/lib/culprit',
    checkSurroundings: async () => SURROUNDINGS,
    codeIn: shop,
    publishRepository: 'acme/webshop',
    policy: {
      requireSecondPerson: options.secondPerson === true,
      // Core answers before a publication that has to wait.
      publishWaitMs: 0,
      notifyPausesMs: [],
      explainMs: 3_600_000,
      analysisMs: 3_600_000,
      // Minutes pass between a decision and the next crash.
      issueStateMs: 1_000,
      quietAfterRejectMs: 0,
      investigation: { ...DEFAULT_POLICY.investigation, when: 'ask', price: { input: 0.6, output: 2.4 } },
    } satisfies CoreBenchOptions['policy'],
    change: (real) => [
      ...switches.change(options.model === true ? withModel(real, MODEL_MS) : real),
      ...(investigator === null ? [] : [investigator.connector]),
    ],
    ...(maps === null ? {} : { sourceMaps: maps.store, webhooks: UNFOUND }),
    ...(options.provider === undefined ? {} : { oidc: await providerOf(t, options.provider) }),
  });
  t.teardown(bench.close);
  const { stderr } = await runProgram(process.execPath, ['bin/checkout.js', 'orders/1043.json'], {
    cwd: shop,
  });
  const { page, problems, mute } = await openBoard(t, bench.core.port, () => now);
  let sequence = 0;
  const internal = `http://127.0.0.1:${bench.core.port}/internal/v1/deliveries`;
  return {
    ...{ engine: bench.engine, api: bench.api, page, publisher, commits, maps, investigator },
    ...{ shop, problems, mute },
    core: { url: URL_OF_BOARD, close: () => bench.core.close() },
    stderr: stderr.replaceAll(shop, SHOP),
    ago: (hours) => new Date(now - hours * 3_600_000 - 120_000).toISOString(),
    async later(minutes) {
      now += minutes * 60_000;
      await page.clock.setFixedTime(now);
    },
    async crash(crash, door = 'webhook', at = new Date(now).toISOString()) {
      sequence += 1;
      const event_id = String(sequence).padStart(32, '0');
      const tracker = door === 'sdk' ? 'sentry' : 'errortracker';
      const whole = { event_id, timestamp: at, ...crash };
      const { value, redactions } = bench.engine.sanitiser.json(whole as JsonValue);
      const delivery = makeDelivery({
        ...{ sequence, event_id, door, tracker, redactions, received_at: at },
        crash: value as Delivery['crash'],
      });
      const answer = await bench.engine.ingestBatch({ edge: `edge-of-${door}`, deliveries: [delivery] });
      const { run_id } = answer.outcomes[0] ?? {};
      if (typeof run_id !== 'string') throw new Error(`no run: ${JSON.stringify(answer)}`);
      return run_id;
    },
    fix(...tags) {
      const person = { name: 'Mei', email: 'mei@webshop.example', date: new Date(now).toISOString() };
      const env = {
        PATH: process.env.PATH,
        ...variables('AUTHOR', person),
        ...variables('COMMITTER', person),
      };
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: shop, env, encoding: 'utf8' }).trim();
      const commit = git(
        'commit-tree',
        'HEAD^{tree}',
        '-p',
        'HEAD',
        '-m',
        'Refuse vouchers without a percentage',
      );
      for (const tag of tags) git('tag', tag, commit);
      return commit;
    },
    async report(edge, figures) {
      const response = await fetch(internal, {
        method: 'POST',
        headers: { authorization: `Bearer ${GATEWAY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ edge, deliveries: [], guard: figures }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    holdAnalyses: switches.hold,
    failAnalyses: switches.fail,
    deafen: switches.deafen,
  };
}

async function providerOf(t: Test, displayName: string): Promise<OidcSettings> {
  const provider = await fakeProvider();
  t.teardown(provider.close);
  return { issuer: provider.url, clientId: CLIENT.id, displayName, roles: { '*': 'reader' } };
}

function variables(role: string, of: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => [`GIT_${role}_${name.toUpperCase()}`, value]),
  );
}

/** Connectors whose analysis and notifications can be stopped. */
function switchable(publisher: MemoryPublisher) {
  let deaf = false;
  let open = () => {};
  let gate: Promise<void> | null = null;
  let failure: Error | null = null;
  const notify = async () => {
    if (deaf) throw new CulpritError('storage_unavailable', 'The chat responded 503 Service Unavailable.');
  };
  const heldBack = (real: Explainer): Explainer => ({
    ...real,
    explain: async (...asked) => {
      await gate;
      return real.explain(...asked);
    },
  });
  const failing = (real: CodeHost): CodeHost => ({
    ...real,
    tree: async (...asked) => {
      if (failure !== null) throw failure;
      return real.tree(...asked);
    },
  });
  return {
    hold(held: boolean) {
      open();
      gate = held
        ? new Promise((resolve) => {
            open = resolve;
          })
        : null;
    },
    fail(error: Error | null) {
      failure = error;
    },
    deafen(now: boolean) {
      deaf = now;
    },
    change: (real: readonly Connector[]): readonly Connector[] => [
      ...real
        .filter(({ id }) => id !== 'outbox')
        .map((connector) => ({
          ...connector,
          setup: async (context: Parameters<Connector['setup']>[0]) => {
            const parts = await connector.setup(context);
            return {
              ...parts,
              ...(parts.explainer === undefined ? {} : { explainer: heldBack(parts.explainer) }),
              ...(parts.codeHost === undefined ? {} : { codeHost: failing(parts.codeHost) }),
            };
          },
        })),
      { id: 'github', setup: () => ({ publisher }) },
      { id: 'slack', setup: () => ({ notifier: { notify } }) },
    ],
  };
}

/** A browser of its own, which finds the board at its fixed address. */
async function openBoard(t: Test, port: number, now: () => number) {
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      ...BROWSER_ARGS,
      `--host-resolver-rules=MAP culprit.example:80 127.0.0.1:${port}`,
      `--unsafely-treat-insecure-origin-as-secure=${URL_OF_BOARD}`,
    ],
  });
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text());
  });
  let muted = false;
  await page.routeWebSocket(/\/api\/v1\/live/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      if (!muted || message !== HEARTBEAT) socket.send(message);
    });
  });
  await page.clock.setFixedTime(now());
  await page.goto(URL_OF_BOARD);
  return {
    page,
    problems,
    mute: (on: boolean) => {
      muted = on;
    },
  };
}
