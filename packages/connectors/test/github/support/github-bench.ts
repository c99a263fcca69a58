import { join } from 'node:path';
import { type CodeHost, isCulpritError, type Publisher } from '@culprit/core/connector';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { sampleHistory } from '@culprit/core/testing';
import {
  type DoubleOptions,
  type DoubleToken,
  type GithubDouble,
  startGithubDouble,
} from '@culprit/doubles/github';
import t, { type Test } from 'tap';
import { github } from '../../../src/github/index.js';
import { context as offline } from '../../git/support/context.js';
import { buildFixtureRepository } from '../../git/support/repository.js';

export const context = { ...offline, fetch: globalThis.fetch };
export const TOKEN = 'github_pat_CANARY0123456789abcdefghijklmnopqrstuvwxyz';
export const REPOSITORY = 'acme/shop';
export const FULL: DoubleToken = {
  user: 'culprit-bot',
  permissions: { metadata: 'read', contents: 'read', issues: 'write' },
};
export const NO_HINTS = { commit: null, release: null, at: '2030-01-01T00:00:00.000Z' };
/** Longer than any busy machine needs for a response. */
const PATIENCE_MS = 300_000;
export const HEAD = sampleHistory.make.at(-1)?.sha ?? '';

/** Shared by all tests; none changes it. */
export const SHOP = buildFixtureRepository(join(t.testdir(), 'shop'), sampleHistory).path;

export interface Bench {
  readonly double: GithubDouble;
  readonly codeHost: CodeHost;
  readonly publisher: Publisher;
  /** Another process on the same double, which shares only `cache`. */
  readonly restart: (options?: {
    readonly cache?: CacheStore;
    readonly timeoutMs?: number;
  }) => Promise<Pick<Bench, 'codeHost' | 'publisher'>>;
}

export async function bench(
  t: Test,
  token = FULL,
  options: Partial<DoubleOptions> = {},
  more: Pick<Parameters<typeof github>[0], 'mirror'> = {},
): Promise<Bench> {
  const path = SHOP;
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: path } },
    tokens: { [TOKEN]: token },
    ...options,
  });
  t.teardown(() => double.close());
  const restart: Bench['restart'] = async ({ cache, timeoutMs = PATIENCE_MS } = {}) => {
    const config = { token: TOKEN, apiUrl: double.url, timeoutMs, ...more };
    const parts = await github(config).setup({ ...context, ...(cache ? { cache: () => cache } : {}) });
    const { codeHost, publisher } = parts;
    t.teardown(() => parts.close?.());
    if (!codeHost || !publisher) throw new Error('the connector must have both');
    return { codeHost, publisher };
  };
  return { double, restart, ...(await restart()) };
}

export async function failure(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; retryAfterMs?: number }> {
  try {
    await work;
    return { code: 'ok', message: '' };
  } catch (error) {
    if (!isCulpritError(error)) return { code: 'bug', message: String(error) };
    const { code, message, retryAfterMs } = error;
    return { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
}

export const issue = (marker: string) => ({
  repository: REPOSITORY,
  title: 'Cart fails',
  body: markedBody('Body', marker),
  labels: ['culprit', 'suspect:auto'],
  assignees: [],
  marker,
});
export const SINCE = '2000-01-01T00:00:00.000Z';
