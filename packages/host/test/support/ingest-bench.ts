import { readFileSync } from 'node:fs';
import { createEngine, type Engine, type EngineOptions, type Logger, type Run } from '@culprit/core';
import type { ExplainRequest, Notifier } from '@culprit/core/connector';
import { memoryPublisher, memoryStorageConnector } from '@culprit/core/testing';
import type { EdgeOptions, EdgeServer } from '../../src/edge/server.js';
import { startCore } from '../../src/server/server.js';
import { edge, INTERNAL, scratch, type Teardown, until } from './edge-kit.js';

export interface IngestBench {
  readonly edge: EdgeServer;
  readonly engine: Engine;
  readonly spoolDirectory: string;
  /** Requests to explainers. */
  readonly prompts: readonly ExplainRequest[];
  /** All log lines, with their fields. */
  readonly log: readonly string[];
  /** Resolves when core has acknowledged everything in the edge's spool. */
  settled(): Promise<void>;
}

/** Both servers with real sockets and a real spool; storage, publisher and explainer in memory. */
export async function ingestBench(
  t: Teardown,
  options: Partial<EdgeOptions> = {},
  notifier?: Notifier,
  engineOptions: Pick<EngineOptions, 'policy' | 'clock'> = {},
): Promise<IngestBench> {
  const log: string[] = [];
  const prompts: ExplainRequest[] = [];
  const line = (fields: object, message: string) => void log.push(`${message} ${describe(fields)}`);
  const logger: Logger = { debug: line, info: line, warn: line, error: line };
  const explain = async (request: ExplainRequest) => {
    prompts.push(request);
    throw new Error('no model here');
  };
  let engine: Engine | null = null;
  const core = await startCore({
    host: '127.0.0.1',
    port: 0,
    engine: async () => {
      engine = await createEngine({
        connectors: [
          memoryStorageConnector(),
          {
            id: 'memory',
            setup: () => ({
              publisher: memoryPublisher(),
              explainer: { name: 'listening', explain },
              ...(notifier === undefined ? {} : { notifier }),
            }),
          },
        ],
        projects: { shop: { publishRepository: 'shop/web' } },
        logger,
        ...engineOptions,
      });
      return engine;
    },
    reviewers: [{ name: 'ada', token: 'reviewer-token-of-ada-000000000000' }],
    internalSecrets: [INTERNAL],
    logger,
  });
  t.teardown(() => core.close());
  const spoolDirectory = await scratch(t);
  const server = await edge(t, {
    coreUrl: `http://127.0.0.1:${core.port}`,
    spoolDirectory,
    logger,
    ...options,
  });
  if (engine === null) throw new Error('no engine');
  return {
    edge: server,
    engine,
    spoolDirectory,
    prompts,
    log,
    settled: () => until(() => server.guard().spool.depth === 0),
  };
}

function describe(fields: object): string {
  return Object.values(fields)
    .map((value) =>
      value instanceof Error ? `${value.stack} ${String(value.cause)}` : JSON.stringify(value),
    )
    .join(' ');
}

const folder = new URL('../../test/fixtures/ingest/', import.meta.url);
export const ingestFixture = (name: string): Buffer => readFileSync(new URL(name, folder));
export const ingestFolder = folder;

/** All runs, with all members. */
export async function runsOf({ engine }: IngestBench): Promise<readonly Run[]> {
  const found: Run[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.runs({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const { run_id } of page.runs) found.push(await engine.run(run_id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}
