import assert from 'node:assert/strict';
import { RUN_STATES, type Run } from '../domain/run.js';
import type { Chapter, RunStory } from '../domain/story.js';
import { isCulpritError } from '../errors/error.js';
import type { Notifier } from '../ports/notifier.js';
import { timeLimit } from '../resilience/time-limit.js';
import { makeEvent } from './builders.js';
import { type ContractCase, onSubject } from './contract-case.js';
import { makeDraft, makeRun, makeSuspect } from './make-run.js';

/** A notifier whose service is up and accepts every request. */
export interface NotifierSubject {
  readonly notifier: Notifier;
  /** Everything sent so far, as text. */
  sent(): string;
  close?(): Promise<void>;
}

/** How the service can fail: unreachable, permanently refusing, rate limiting, or never responding. */
export const NOTIFY_FAILURES = ['unavailable', 'refused', 'wait', 'hang'] as const;
/** A failure a notifier must handle; one of `NOTIFY_FAILURES`. */
export type NotifyFailure = (typeof NOTIFY_FAILURES)[number];

/** A notifier whose service can be made to fail on purpose. */
export interface FailingNotifierSubject extends NotifierSubject {
  /** The next request fails this way; later ones succeed. */
  failNext(failure: NotifyFailure): void;
}

/** Looks like a credential: the second sanitising pass must redact it. */
const CANARY = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
const HOSTILE = [
  `<!channel> <@U0HOSTILE1> @everyone &amp; <https://evil.example|click> https://evil.example/x`,
  `\u202egnihton \u0000\u001b[31m \`\`\` *bold* _it_ ~no~ \ud800 ${'x'.repeat(5_000)}`,
  `token ${CANARY} \n\n> quoted\r\n:skull: #1 GH-1 <b>`,
];

/** The rules of the `Notifier` port. */
export const notifierContract: readonly ContractCase<NotifierSubject>[] = [
  law('notifies about a run in every state, and accepts a repeat', async ({ notifier, sent }) => {
    for (const state of RUN_STATES) {
      const run = makeRun(state, { version: RUN_STATES.indexOf(state) + 1 });
      await notifier.notify(run, signal());
      await notifier.notify(run, signal());
    }
    assert.ok(sent().includes(makeRun().run_id), 'names the run');
  }),
  law('does not modify the run', async ({ notifier }) => {
    for (const run of [makeRun(), hostileRun()]) {
      const before = structuredClone(run);
      await notifier.notify(run, signal());
      assert.deepEqual(run, before);
    }
  }),
  law('hostile text is accepted and no secret is sent', async ({ notifier, sent }) => {
    await notifier.notify(hostileRun(), signal(), hostileStory());
    assert.ok(sent().length > 0);
    assert.equal(sent().includes(CANARY), false, 'passes the sanitiser a second time');
  }),
  law('settles if its signal is already aborted', async ({ notifier }) => {
    const ended = AbortSignal.abort(new Error('over'));
    await within(
      2_000,
      notifier.notify(makeRun(), ended).catch(() => {}),
    );
  }),
];

/** The rules for a notifier whose service fails. */
export const failingNotifierContract: readonly ContractCase<FailingNotifierSubject>[] = [
  law(
    'an unreachable service is retryable, and a later attempt succeeds',
    async ({ notifier, failNext, sent }) => {
      failNext('unavailable');
      await assert.rejects(notifier.notify(makeRun(), signal()), isRetryable);
      await notifier.notify(makeRun(), signal());
      assert.ok(sent().includes(makeRun().run_id));
    },
  ),
  law('a permanent refusal is notifier_failed and not retryable', async ({ notifier, failNext }) => {
    failNext('refused');
    await assert.rejects(
      notifier.notify(makeRun(), signal()),
      (error) => isCulpritError(error, 'notifier_failed') && !error.retryable,
    );
  }),
  law('a rate limit is retryable, with its delay', async ({ notifier, failNext }) => {
    failNext('wait');
    await assert.rejects(
      notifier.notify(makeRun(), signal()),
      (error) => isRetryable(error) && isCulpritError(error) && (error.retryAfterMs ?? 0) >= 1_000,
    );
  }),
  law('a service that never responds is abandoned when the signal aborts', async ({ notifier, failNext }) => {
    failNext('hang');
    await assert.rejects(within(5_000, notifier.notify(makeRun(), timeLimit(50))));
  }),
];

/** A run whose every text is hostile: crash, commit and reviewer's edit. */
export function hostileRun(overrides: Partial<Run> = {}): Run {
  const [one = '', two = '', three = ''] = HOSTILE;
  return makeRun('staged_draft', {
    title: three + one,
    releases: [one],
    environments: [two],
    event: makeEvent({ message: three, release: one, environment: two }),
    suspects: [
      makeSuspect({
        title: three,
        author: { name: one },
        reasons: [two, three].map((text) => ({ code: 'text_only', text })),
      }),
    ],
    draft: makeDraft({ title: one, body: three, labels: [one] }),
    last_error: { code: 'code_host_unavailable', detail: three, retryable: true },
    regression_of: 'run_before',
    returned: { at: '2026-01-05T10:00:00.000Z', by: one, reason: three },
    ...overrides,
  });
}

/** The story of `hostileRun`, whose releases are hostile, too. */
export function hostileStory(run_id: string = makeRun().run_id): RunStory {
  const [one = '', two = '', three = ''] = HOSTILE;
  const shop = 'https://github.com/acme/shop';
  const chapter = (id: string, release: string): Chapter => ({
    run_id: id,
    state: 'published',
    first_seen: '2026-01-05T09:00:00.000Z',
    release,
    merged_into: null,
    issue: { number: 7, url: `${shop}/issues/7`, published_at: '2026-01-05T10:00:00.000Z', reopened: false },
    closed: { as: 'completed', at: '2026-01-06T10:00:00.000Z' },
    fix: { commit: 'f'.repeat(40), pull_request: { number: 8, url: `${shop}/pull/8` } },
    fixed_in: three,
  });
  return { chapters: [chapter('run_before', one), chapter(run_id, two)], whole: false };
}

function isRetryable(error: unknown): boolean {
  return !isCulpritError(error) || error.retryable;
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: `not finished after ${ms} ms` })),
      ms,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function signal(): AbortSignal {
  return timeLimit(10_000);
}

function law<Subject extends NotifierSubject>(
  name: string,
  check: (subject: Subject) => Promise<void>,
): ContractCase<Subject> {
  return onSubject(`notifier: ${name}`, check);
}
