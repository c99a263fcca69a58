import { join } from 'node:path';
import { type CodeHost, isCulpritError, type Publisher, type RevisionHints } from '@culprit/core/connector';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { sampleHistory } from '@culprit/core/testing';
import {
  type DoubleOptions,
  type DoubleToken,
  type GitlabDouble,
  startGitlabDouble,
} from '@culprit/doubles/gitlab';
import t, { type Test } from 'tap';
import { gitlab } from '../../../src/gitlab/index.js';
import { context as offline } from '../../git/support/context.js';
import { buildFixtureRepository } from '../../git/support/repository.js';

export const context = { ...offline, fetch: globalThis.fetch };
export const TOKEN = 'glpat-CANARY0123456789abcdef';
export const PROJECT = 'acme/web/shop';
export const REPOSITORY = `gitlab:${PROJECT}`;
export const SINCE = '2000-01-01T00:00:00.000Z';
export const HEAD = sampleHistory.make.at(-1)?.sha ?? '';
export const NO_HINTS: RevisionHints = { commit: null, release: null, at: '2030-01-01T00:00:00.000Z' };
export const SHOP = buildFixtureRepository(join(t.testdir(), 'shop'), sampleHistory).path;
export const BOT: DoubleToken = { user: 'culprit-bot', scopes: ['api'] };

export interface Bench {
  readonly double: GitlabDouble;
  readonly codeHost: CodeHost;
  readonly publisher: Publisher;
}

/** Of every test, for the last one. */
export const doubles: GitlabDouble[] = [];

export async function bench(
  t: Test,
  options: Partial<DoubleOptions> = {},
  config: Partial<Parameters<typeof gitlab>[0]> = {},
): Promise<Bench> {
  const double = await startGitlabDouble({
    repositories: { [PROJECT]: { git: SHOP } },
    tokens: { [TOKEN]: BOT },
    ...options,
  });
  doubles.push(double);
  t.teardown(() => double.close());
  const made = gitlab({ token: TOKEN, url: double.url, timeoutMs: 300_000, ...config });
  const { codeHost, publisher, close } = await made.setup(context);
  t.teardown(() => close?.());
  if (!codeHost || !publisher) throw new Error('the connector must have both');
  return { double, codeHost, publisher };
}

export async function failure(work: Promise<unknown>) {
  try {
    await work;
    return { code: 'ok', message: '' };
  } catch (error) {
    if (!isCulpritError(error)) return { code: 'bug', message: String(error) };
    const { code, message, retryAfterMs } = error;
    return { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
}

export const issue = (marker: string, more: object = {}) => ({
  repository: REPOSITORY,
  title: 'Cart fails',
  body: markedBody('Body', marker),
  labels: ['culprit', 'suspect:auto'],
  assignees: [] as readonly string[],
  marker,
  ...more,
});
