import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { otlp } from '@culprit/connectors/otlp';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { type Connector, type Logger, silentLogger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { type EdgeOptions, type EdgeServer, startEdge } from '../../src/edge/server.js';
import { scanRecords } from '../../src/edge/spool/record-bytes.js';
import { testedDriver } from './tested-driver.js';

export const SECRET = 'hook-secret-of-the-tests';
export const TOKEN = 'service-token-of-the-tests';
export const KEY = 'a'.repeat(32);
export const INTERNAL = 'internal-secret-of-the-tests';
export const EVENT = 'fc6d8c0c43fc4630ad850ee518f1b9d0';

export interface Teardown {
  teardown(act: () => unknown): unknown;
}

export async function scratch(t: Teardown): Promise<string> {
  return temporaryFolder(t, 'edge');
}

/** The real trackers, composed as in the host. */
export async function trackers(): Promise<ReadonlyMap<string, Tracker>> {
  const connectors: Connector[] = [
    errortracker({ secrets: [{ project: 'shop', secret: SECRET }] }),
    native({ tokens: [{ project: 'shop', name: 'ci', token: TOKEN }] }),
    otlp({
      tokens: [{ project: 'shop', name: 'ci', token: TOKEN }],
      services: [{ service: 'payments', project: 'pay' }],
    }),
    sentry({ keys: [{ project: 'shop', key: KEY }] }),
  ];
  const map = new Map<string, Tracker>();
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  for (const connector of connectors) {
    const { tracker } = await connector.setup(context);
    if (tracker) map.set(connector.id, tracker);
  }
  return map;
}

export async function edge(t: Teardown, options: Partial<EdgeOptions> = {}): Promise<EdgeServer> {
  const server = await startEdge({
    host: '127.0.0.1',
    port: 0,
    trackers: await trackers(),
    serviceTokens: [{ name: 'ci', token: TOKEN }],
    coreUrl: 'http://127.0.0.1:9',
    internalSecret: INTERNAL,
    spoolDirectory: options.spoolDirectory ?? (await scratch(t)),
    trustedProxies: [],
    logger: silentLogger,
    httpDriver: testedDriver(),
    ...options,
  });
  t.teardown(() => server.close());
  return server;
}

export const sign = (body: string | Uint8Array, secret = SECRET) =>
  createHmac('sha256', secret).update(body).digest('hex');

export const post = (
  url: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = {},
) => fetch(url, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

export const toNative = (server: EdgeServer, crash: unknown, headers: Record<string, string> = {}) =>
  post(`${server.url}/api/v1/telemetry/ingest`, typeof crash === 'string' ? crash : JSON.stringify(crash), {
    'x-service-token': TOKEN,
    ...headers,
  });

export const toWebhook = (server: EdgeServer, body: string, headers: Record<string, string> = {}) =>
  post(`${server.url}/webhook/errortracker`, body, {
    'content-type': 'application/json',
    'tracker-hook-signature': sign(body),
    ...headers,
  });

export const envelope = (event: object, header: object = { event_id: EVENT }) =>
  `${JSON.stringify(header)}\n{"type":"event"}\n${JSON.stringify(event)}\n`;

export const toSdk = (
  server: EdgeServer,
  body: string | Uint8Array,
  query = `sentry_key=${KEY}`,
  headers = {},
) => post(`${server.url}/api/1/envelope/?${query}`, body, headers);

/** Deliveries on disk, in order, read from the segment files. */
export async function spooled(directory: string): Promise<Delivery[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.seg')).sort();
  const deliveries: Delivery[] = [];
  for (const name of names) {
    for (const { payload } of scanRecords(await readFile(join(directory, name))).stretches) {
      if (payload) deliveries.push(JSON.parse(payload.toString()));
    }
  }
  return deliveries;
}

export interface FakeCore {
  readonly url: string;
  readonly received: Delivery[];
  readonly batches: { edge: string; sequences: number[] }[];
  /** Guard reports of the edge, in order of arrival. */
  readonly reports: { guard: object; limits: object; dead_letters: object[]; done: object[] }[];
  /** Returned with every batch. */
  readonly commands: object[];
  /** Can return another response; `null` records the batch as usual. */
  behave(
    act: (batch: { edge: string; deliveries: Delivery[] }) => { status: number; body: unknown } | null,
  ): void;
  watermark(edge: string, value: number): void;
}

/** A minimal core over real HTTP that follows the contract. */
export async function fakeCore(t: Teardown): Promise<FakeCore> {
  const received: Delivery[] = [];
  const batches: FakeCore['batches'] = [];
  const reports: FakeCore['reports'] = [];
  const commands: object[] = [];
  const marks = new Map<string, number>();
  let act: Parameters<FakeCore['behave']>[0] = () => null;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${INTERNAL}`)
      return answer(401, { code: 'unauthenticated' });
    const batch = JSON.parse(Buffer.concat(chunks).toString());
    const sequences = batch.deliveries.map(({ sequence }: Delivery) => sequence);
    if (sequences.length > 0) batches.push({ edge: batch.edge, sequences });
    if (batch.guard !== undefined) reports.push(batch);
    const special = act(batch);
    if (special) return answer(special.status, special.body);
    const mark = marks.get(batch.edge) ?? 0;
    for (const delivery of batch.deliveries) if (delivery.sequence > mark) received.push(delivery);
    marks.set(batch.edge, Math.max(mark, ...sequences));
    answer(200, { outcomes: outcomes(batch.deliveries), watermark: marks.get(batch.edge) ?? 0, commands });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    batches,
    reports,
    commands,
    behave: (next) => {
      act = next;
    },
    watermark: (id, value) => void marks.set(id, value),
  };
}

export function outcomes(
  deliveries: readonly Delivery[],
  outcome = 'accepted',
  detail: string | null = null,
) {
  return deliveries.map(({ sequence, event_id }) => ({ sequence, event_id, outcome, run_id: null, detail }));
}

/** Turns the event loop until the condition holds, without a time limit of its own. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

export function collectingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const log = (_: object, message: string) => void lines.push(message);
  return { lines, debug: log, info: log, warn: log, error: log };
}
