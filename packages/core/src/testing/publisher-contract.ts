import assert from 'node:assert/strict';
import type { ErrorCode } from '../errors/catalogue.js';
import { isCulpritError } from '../errors/error.js';
import { publishedBody, trailerOf } from '../pipeline/draft/trailer.js';
import { sha256Hex } from '../pipeline/hash.js';
import type { IssueToPublish, PublishedIssue, Publisher } from '../ports/publisher.js';
import { type ContractCase, onSubject } from './contract-case.js';

/**
 * How the next creation fails. `refuse`: the host rejects it. `wait`: it rate limits. `ambiguous-created` and
 * `ambiguous-not-created`: no response arrives, and the issue was or was not created.
 */
export const PUBLISH_FAILURES = ['refuse', 'wait', 'ambiguous-created', 'ambiguous-not-created'] as const;
/** A failure a publisher must handle; one of `PUBLISH_FAILURES`. */
export type PublishFailure = (typeof PUBLISH_FAILURES)[number];

/** A publisher and an empty repository that accepts issues with labels. */
export interface PublisherSubject {
  readonly publisher: Publisher;
  readonly repository: string;
  /** `lf`: the host deletes the carriage returns of a text. Absent: it keeps every byte. */
  readonly lineEnds?: 'lf';
  /** Waits until a listing shows what was created; omit it if listings are always current. */
  listed?(): Promise<void>;
  close?(): Promise<void>;
}

/** A publisher whose code host can be made to fail on purpose. */
export interface FailingPublisherSubject extends PublisherSubject {
  failNext(failure: PublishFailure): void;
}

/** Long before anything in a suite happens. */
const SINCE = '2000-01-01T00:00:00.000Z';

/** The rules of the `Publisher` port. */
export const publisherContract: readonly ContractCase<PublisherSubject>[] = [
  onSubject('an issue is stored as signed, byte for byte', async (subject) => {
    const { publisher, repository } = subject;
    const issue = issueFor(repository, 'bytes');
    const created = await publisher.create(issue, signal());
    assertStored(created, issue, subject);
    assert.equal(created.state, 'open');
    assert.ok(Number.isInteger(created.number) && created.number > 0);
    assert.ok(!Number.isNaN(Date.parse(created.created_at)));
    assert.match(created.url, /^https?:\/\//);
    assert.deepEqual(await publisher.read(repository, created.number, signal()), created);
  }),
  onSubject('an issue is found by its own marker only', async (subject) => {
    const { publisher, repository } = subject;
    await publisher.create(issueFor(repository, 'one'), signal());
    const two = await publisher.create(issueFor(repository, 'two'), signal());
    await publisher.create(issueFor(repository, 'three'), signal());
    await subject.listed?.();
    const found = await publisher.find(repository, markerOf('two'), SINCE, signal());
    assert.equal(found?.number, two.number);
    assertStored(found, issueFor(repository, 'two'), subject);
    assert.equal(await publisher.find(repository, markerOf('four'), SINCE, signal()), null);
  }),
  onSubject('a trailer quoted in the text of another issue is not found', async (subject) => {
    const { publisher, repository } = subject;
    const quoting = { ...issueFor(repository, 'quoting'), body: '' };
    const body = markedBody(issueFor(repository, 'quoted').body, quoting.marker);
    await publisher.create({ ...quoting, body }, signal());
    await subject.listed?.();
    assert.equal(await publisher.find(repository, markerOf('quoted'), SINCE, signal()), null);
  }),
  onSubject('an issue that was never published is not found', async ({ publisher, repository }) => {
    assert.equal(await publisher.find(repository, markerOf('none'), SINCE, signal()), null);
    assert.equal(await publisher.read(repository, 999_999, signal()), null);
  }),
  onSubject('every creation makes its own issue, also concurrently', async ({ publisher, repository }) => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const issues = await Promise.all(
      names.map((name) => publisher.create(issueFor(repository, name), signal())),
    );
    assert.equal(new Set(issues.map(({ number }) => number)).size, names.length);
    assert.equal(new Set(issues.map(({ url }) => url)).size, names.length);
  }),
  onSubject('an issue needs no labels or assignees', async (subject) => {
    const { publisher, repository } = subject;
    const issue = { ...issueFor(repository, 'bare'), labels: [], assignees: [] };
    assertStored(await publisher.create(issue, signal()), issue, subject);
  }),
  onSubject('a publisher with listsAtOnce lists a new issue at once', async ({ publisher, repository }) => {
    const created = await publisher.create(issueFor(repository, 'now'), signal());
    const found = await publisher.find(repository, markerOf('now'), SINCE, signal());
    if (publisher.listsAtOnce) assert.equal(found?.number, created.number);
  }),
  onSubject('an issue is reopened by a comment with its own marker', async (subject) => {
    const { publisher, repository } = subject;
    const { reopening } = publisher;
    if (reopening === undefined) return;
    const issue = await publisher.create(issueFor(repository, 'old'), signal());
    const other = await publisher.create(issueFor(repository, 'other'), signal());
    const { number } = issue;
    const find = (at: number, name: string) =>
      reopening.find(repository, at, markerOf(name), SINCE, signal());
    assert.equal(await find(number, 'again'), null);
    const { body } = issueFor(repository, 'again');
    const comment = await reopening.comment(repository, number, body, signal());
    assert.equal(comment.body, storedText(body, subject));
    assert.ok(comment.url.startsWith(issue.url) && comment.url !== issue.url);
    await subject.listed?.();
    assert.deepEqual(await find(number, 'again'), comment);
    assert.equal(await find(number, 'old'), null);
    assert.equal(await find(other.number, 'again'), null);
    await reopening.open(repository, number, signal());
    await reopening.open(repository, number, signal());
    const now = await publisher.read(repository, number, signal());
    assertStored(now, issueFor(repository, 'old'), subject);
    assert.equal(now?.state, 'open');
    const gone = (error: unknown) => isCulpritError(error, 'reopen_refused');
    await assert.rejects(find(999_999, 'again'), gone);
    await assert.rejects(reopening.comment(repository, 999_999, body, signal()), gone);
    await assert.rejects(reopening.open(repository, 999_999, signal()), gone);
  }),
  onSubject('an issue is closed as completed, and closing it again changes nothing', async (subject) => {
    const { publisher, repository } = subject;
    const { reopening } = publisher;
    if (reopening?.close === undefined) return;
    const { number } = await publisher.create(issueFor(repository, 'over'), signal());
    await reopening.close(repository, number, signal());
    const closed = await publisher.read(repository, number, signal());
    await reopening.close(repository, number, signal());
    const again = await publisher.read(repository, number, signal());
    assertStored(again, issueFor(repository, 'over'), subject);
    for (const issue of [closed, again]) {
      assert.equal(issue?.state, 'closed');
      assert.equal(issue?.closed_as ?? 'completed', 'completed');
    }
    assert.equal(again?.closed_at, closed?.closed_at);
    await reopening.open(repository, number, signal());
    assert.equal((await publisher.read(repository, number, signal()))?.state, 'open');
    await assert.rejects(reopening.close(repository, 999_999, signal()), (error) =>
      isCulpritError(error, 'reopen_refused'),
    );
  }),
  onSubject('an aborted signal creates nothing', async (subject) => {
    const { publisher, repository } = subject;
    const aborted = AbortSignal.abort(new Error('enough'));
    await assert.rejects(publisher.create(issueFor(repository, 'late'), aborted), (error) => {
      return !isCulpritError(error, 'publish_refused');
    });
    await subject.listed?.();
    assert.equal(await publisher.find(repository, markerOf('late'), SINCE, signal()), null);
  }),
];

/** The rules for failures, for publishers whose host can be made to fail. */
export const failingPublisherContract: readonly ContractCase<FailingPublisherSubject>[] = [
  failing('refuse', 'publish_refused', 0),
  failing('wait', 'publish_wait', 0),
  failing('ambiguous-created', 'publish_ambiguous', 1),
  failing('ambiguous-not-created', 'publish_ambiguous', 0),
];

function failing(
  failure: PublishFailure,
  code: ErrorCode,
  left: 0 | 1,
): ContractCase<FailingPublisherSubject> {
  return onSubject(`${failure} rejects with ${code} after one attempt`, async (subject) => {
    const { publisher, repository } = subject;
    const issue = issueFor(repository, failure);
    subject.failNext(failure);
    await assert.rejects(publisher.create(issue, signal()), (error) => {
      return isCulpritError(error, code) && (code !== 'publish_wait' || (error.retryAfterMs ?? 0) > 0);
    });
    await subject.listed?.();
    const found = await publisher.find(repository, issue.marker, SINCE, signal());
    assert.equal(found === null ? 0 : 1, left);
    if (left === 0) assertStored(await publisher.create(issue, signal()), issue, subject);
  });
}

function markerOf(name: string): string {
  return sha256Hex(name);
}

function issueFor(repository: string, name: string): IssueToPublish {
  const marker = markerOf(name);
  return {
    repository,
    title: `TypeError: Ünïcode “${name}” in cart.ts`,
    body: markedBody(
      '## What happened\r\n\r\n`<b>` & ‮ 🦔  \n\n---\n\n```diff\n-a\n+b\n```\n\n# Not the title',
      marker,
    ),
    labels: ['culprit', 'suspect:auto'],
    assignees: [],
    marker,
  };
}

/** The text with the trailer of the publication that has this marker. */
export function markedBody(text: string, marker: string): string {
  const made = { explanation: 'template', model: null, edited: false } as const;
  return publishedBody(text, trailerOf({ run_id: 'run_1', digest: sha256Hex(text), marker, ...made }));
}

function assertStored(
  stored: PublishedIssue | null,
  issue: IssueToPublish,
  subject: Pick<PublisherSubject, 'lineEnds'>,
): void {
  assert.equal(stored?.title, issue.title);
  assert.equal(stored?.body, storedText(issue.body, subject));
  assert.deepEqual(stored?.labels, issue.labels);
  assert.deepEqual(stored?.assignees, issue.assignees);
}

function storedText(text: string, { lineEnds }: Pick<PublisherSubject, 'lineEnds'>): string {
  return lineEnds === 'lf' ? text.replaceAll('\r', '') : text;
}

function signal(): AbortSignal {
  return new AbortController().signal;
}
