import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  type Connector,
  createEngine,
  type Engine,
  type EnginePolicy,
  type ProjectConfig,
  silentLogger,
} from '@culprit/core';
import type { IdGenerator } from '@culprit/core/internal/ports/id-generator';
import { removeFolder } from '../../../../bench/faults/lib/folders.mjs';
import { composeCore } from '../../src/compose/core-parts.js';
import { readConfig } from '../../src/config/read-config.js';
import { type CoreOptions, type CoreServer, startCore } from '../../src/server/server.js';
import { type CrashingRepository, cartCrash, crashingRepository } from './crashing-repository.js';
import { checkDescribed } from './described-answers.js';
import { checkAnswersOf, httpClient } from './http-client.js';
import { testedDriver } from './tested-driver.js';

export const AUDIT_KEY = 'audit-key-of-the-test-000000000000000';
export const TOKEN = 'reviewer-token-of-ada-000000000000';
export const OTHER_TOKEN = 'reviewer-token-of-grace-0000000000';
export const GATEWAY = 'internal-gateway-secret-0000000000';
export const OLD_GATEWAY = 'internal-gateway-secret-before-000';

export interface CoreBench {
  readonly core: CoreServer;
  readonly engine: Engine;
  readonly repository: CrashingRepository;
  /** Sends a bearer token. */
  readonly api: ReturnType<typeof httpClient>;
  /** Sends no header except Host. */
  readonly bare: ReturnType<typeof httpClient>;
  readonly host: string;
  /** Stages a new run and returns its id. */
  stage(message?: string, project?: string): Promise<string>;
  close(): Promise<void>;
}

export interface CoreBenchOptions extends Partial<CoreOptions> {
  /** Adds or replaces connectors. */
  readonly change?: (real: readonly Connector[]) => readonly Connector[];
  readonly policy?: Partial<EnginePolicy>;
  /** Repository of the project, in place of `repository`. */
  readonly codeIn?: string;
  /** Where the default project publishes. Default: the outbox's name of its repository. */
  readonly publishRepository?: string;
  /** What the default project calls its repository. Default: its path. */
  readonly namedRepository?: string;
  /** The engine's and core's clock. Default: the real one. */
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Further projects, with the repository of the default one. */
  readonly moreProjects?: readonly string[];
  /** Further projects, with their own repositories. */
  readonly projectsIn?: Readonly<Record<string, string>>;
  /** Settings, such as those of code hosts. */
  readonly env?: Readonly<Record<string, string>>;
}

/** In `npm run test:full`, every answer must be one that core's own OpenAPI document describes. */
const IS_FULL = process.argv[1]?.endsWith('.full.test.js');

/** Core with real parts: a git repository, outbox, template explanations, and memory storage by default. */
export async function coreBench(
  {
    change = (real) => real,
    policy = {},
    codeIn,
    clock,
    ids,
    publishRepository,
    moreProjects = [],
    projectsIn = {},
    namedRepository,
    env = {},
    ...options
  }: CoreBenchOptions = {},
  storageUrl = 'memory:',
): Promise<CoreBench> {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-core-'));
  const repository = crashingRepository(join(directory, 'shop'));
  const read = readConfig({
    flags: { data: join(directory, 'data'), repository: codeIn ?? repository.directory },
    env: { ...env, STORAGE_URL: storageUrl, ...(storageUrl === 'memory:' ? {} : { AUDIT_KEY }) },
    cwd: directory,
  });
  const folders = Object.entries(projectsIn).map(([name, folder]) => [name, { repository: folder }]);
  const projects = projectsOf(read.config.projects, moreProjects, Object.fromEntries(folders));
  const { connectors, documents } = composeCore({ ...read.config, projects });
  let engine: Engine | null = null;
  const core = await startCore({
    host: '127.0.0.1',
    port: 0,
    engine: async (url) => {
      engine = await createEngine({
        connectors: change(connectors(url)),
        projects:
          publishRepository === undefined && namedRepository === undefined
            ? projects
            : {
                default: {
                  ...projects.default,
                  ...(publishRepository === undefined ? {} : { publishRepository }),
                  ...(namedRepository === undefined ? {} : { repository: namedRepository }),
                },
              },
        policy,
        ...(clock === undefined ? {} : { clock }),
        ...(ids === undefined ? {} : { ids }),
        ...(options.sourceMaps ? { sourceMaps: options.sourceMaps } : {}),
      });
      return engine;
    },
    reviewers: [
      { name: 'ada', token: TOKEN },
      { name: 'grace', token: OTHER_TOKEN },
    ],
    internalSecrets: [GATEWAY, OLD_GATEWAY],
    documents,
    httpDriver: testedDriver(),
    auditKey: storageUrl === 'memory:' ? null : AUDIT_KEY,
    logger: silentLogger,
    ...(clock === undefined ? {} : { now: clock.now }),
    ...options,
  });
  if (engine === null) throw new Error('no engine');
  const started: Engine = engine;
  const host = `127.0.0.1:${core.port}`;
  if (IS_FULL) checkAnswersOf(core.port, checkDescribed);
  let crashes = 0;
  return {
    core,
    engine: started,
    repository,
    host,
    api: httpClient(core.port, { host, authorization: `Bearer ${TOKEN}` }),
    bare: httpClient(core.port, { host }),
    async stage(message, project) {
      const number = ++crashes;
      const crash = {
        ...cartCrash(`crash-${number}`, repository.head, message ?? `boom ${number}`),
        fingerprint: [`own-${number}`],
      };
      const { run_id } = await started.ingest({ crash, ...(project === undefined ? {} : { project }) });
      if (run_id === null) throw new Error('no run');
      return run_id;
    },
    async close() {
      await core.close();
      await removeFolder(directory);
    },
  };
}

/** The default project, others of the same repository, and others of their own. */
function projectsOf(
  projects: Readonly<Record<string, ProjectConfig>>,
  more: readonly string[],
  own: Readonly<Record<string, ProjectConfig>>,
) {
  const { default: first } = projects;
  if (first === undefined) return projects;
  return { ...projects, ...Object.fromEntries(more.map((name) => [name, first])), ...own };
}
