import { canonicalDraft, type Draft } from '../domain/draft.js';
import type { Ownership } from '../domain/ownership.js';
import type { Run, RunState } from '../domain/run.js';
import type { Suspect } from '../domain/suspect.js';
import { sha256Hex } from '../pipeline/hash.js';
import { reason } from '../pipeline/rank/reason-wording.js';
import { makeEvent, makeFingerprint } from './builders.js';

const SHA = '0123456789abcdef0123456789abcdef01234567';

/** Builds a suspect for tests; the given members override the defaults. */
export function makeSuspect(overrides: Partial<Suspect> = {}): Suspect {
  return {
    sha: SHA,
    author: { name: 'Chidi' },
    committed_at: '2025-12-10T10:00:00.000Z',
    title: 'Price items in several currencies',
    url: 'https://github.com/acme/shop/commit/0123456789abcdef0123456789abcdef01234567',
    score: 6,
    components: { near: 6 },
    probability: 0.85,
    verdict: 'auto',
    reasons: [reason({ code: 'last_changed_line', path: 'src/cart.js', line: 12, role: 'crashed' })],
    frames: [1],
    hunk: null,
    pull_request: null,
    ...overrides,
  };
}

/** With the digest of its content. */
export function makeDraft(overrides: Partial<Draft> = {}): Draft {
  const content = {
    repository: 'acme/shop',
    title: 'TypeError in total',
    body: '## What happened\n',
    labels: ['culprit', 'suspect:auto'],
    assignees: [],
    ...overrides,
  };
  return { ...content, edited_by: null, digest: sha256Hex(canonicalDraft(content)), ...overrides };
}

/** A run as the engine would show it in the state. */
export function makeRun(state: RunState = 'staged_raw', overrides: Partial<Run> = {}): Run {
  const analysed = ['staged_draft', 'publishing', 'published'].includes(state);
  const draft = analysed ? makeDraft() : null;
  return {
    run_id: 'run_00000000000000000000000001',
    project: 'default',
    state,
    title: "TypeError: Cannot read properties of undefined (reading 'price')",
    fingerprint: makeFingerprint(),
    level: 'error',
    platform: 'node',
    occurrences: 3,
    first_seen: '2026-01-05T09:00:00.000Z',
    last_seen: '2026-01-05T09:05:00.000Z',
    releases: ['shop@1.0.0'],
    environments: ['production'],
    doors: ['native'],
    event: makeEvent(),
    revision: analysed ? { sha: SHA, how: 'explicit' } : null,
    suspects: analysed ? [makeSuspect()] : [],
    no_suspect: null,
    explanation: null,
    draft,
    publication:
      state === 'published' && draft !== null
        ? {
            issue_url: 'https://github.com/acme/shop/issues/7',
            number: 7,
            published_at: '2026-01-05T10:00:00.000Z',
            digest: draft.digest,
            divergence: [],
          }
        : null,
    regression_of: null,
    last_error: null,
    generation: 1,
    cycle: 1,
    version: 1,
    updated_at: '2026-01-05T09:05:00.000Z',
    ...overrides,
  };
}

/** The crashed file with one owner, by the second line of the code owners file. */
export function makeOwnership(name = '@acme/payments', path = 'src/cart.js'): Ownership {
  const owners = [{ kind: 'team' as const, name }];
  const rules = [{ line: 2, pattern: '/src/', section: null, owners, url: null }];
  const files = [{ path, rules }];
  return { file: 'CODEOWNERS', dialect: 'github', files, problems: [], unread: null };
}
