import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DoubleOptions, type DoubleToken, startGithubDouble } from '@culprit/doubles/github';
import t, { type Test } from 'tap';
import { crashingRepository } from './crashing-repository.js';
import type { CoreChild } from './github-bench.js';

export const CANARY = 'github_pat_CANARY11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz';
export const SECOND = 'github_pat_CANARY22ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz';
export const NAME = 'acme/shop';
export const SHOP = crashingRepository(join(t.testdir(), 'shop'));
export const READER: DoubleToken = { user: 'reader', permissions: { contents: 'read' } };
export const WRITER: DoubleToken = { user: 'culprit-bot', permissions: { issues: 'write' } };

export async function double(t: Test, options: Partial<DoubleOptions> = {}) {
  const started = await startGithubDouble({
    repositories: { [NAME]: { git: SHOP.directory } },
    tokens: { [CANARY]: READER, [SECOND]: WRITER },
    ...options,
  });
  t.teardown(() => started.close());
  const env = {
    GITHUB_TOKEN: CANARY,
    GITHUB_PUBLISH_TOKEN: SECOND,
    GITHUB_API_URL: started.url,
    REPOSITORY: NAME,
  };
  return { double: started, env };
}

export function folder(t: Test): string {
  const data = join(t.testdir(), 'data');
  mkdirSync(data, { recursive: true });
  return data;
}

export async function approve(core: CoreChild, runId: string, gate: 'gate1' | 'gate2') {
  return core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/${gate}/approve` });
}
