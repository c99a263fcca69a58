import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';

const CLAIMS = '.claims';
const DRAFT = /^\.draft-[0-9a-f-]+$/;
const DRAFT_LIFE_MS = 60 * 60_000;
/** Larger files are not issues. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The issue with that number; `null` if it does not exist. */
export async function readOutboxIssue(directory: string, number: number): Promise<OutboxIssue | null> {
  const name = (await issueNames(directory)).find((file) => numberOfFile(file) === number);
  return name === undefined ? null : readIssue(directory, name);
}

/** Every issue, newest first. */
export async function listOutboxIssues(directory: string): Promise<readonly OutboxIssue[]> {
  const issues: OutboxIssue[] = [];
  for await (const issue of outboxIssues(directory)) issues.push(issue);
  return issues;
}

/** Every issue, newest first, read one at a time. */
export async function* outboxIssues(directory: string): AsyncGenerator<OutboxIssue> {
  for (const name of await issueNames(directory)) {
    const issue = await readIssue(directory, name);
    if (issue) yield issue;
  }
}

interface NewIssue {
  /** Named after its number, which is unique. */
  readonly issue: OutboxIssue;
  /** Makes the issue visible, complete and durable. */
  commit(): Promise<void>;
  /** Removes the issue; its number stays used. */
  discard(): Promise<void>;
}

/**
 * Reserves the next number and writes the issue, still invisible. A number is reserved by creating a file that must not
 * exist, so no two processes share one. A crash wastes only a number.
 */
export async function prepareIssue(
  directory: string,
  content: Omit<OutboxIssue, 'number'>,
): Promise<NewIssue> {
  await createOutbox(directory);
  await removeOldDrafts(directory);
  const issue = { number: await claimNumber(directory), ...content };
  const draft = join(directory, `.draft-${randomUUID()}`);
  try {
    await writeSynced(draft, writeIssueFile(issue));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return {
    issue,
    commit: async () => {
      await rename(draft, join(directory, issueFileName(issue.number, issue.title)));
      await syncFolder(directory);
    },
    discard: () => rm(draft, { force: true }),
  };
}

/** Issues quote code and crashes, so only the folder's owner may read it, even if it already existed. */
async function createOutbox(directory: string): Promise<void> {
  await mkdir(join(directory, CLAIMS), { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700).catch(ignoreForeign);
}

async function claimNumber(directory: string): Promise<number> {
  const claims = await readdir(join(directory, CLAIMS));
  const taken = [...claims.map(Number), ...(await issueNames(directory)).map(numberOfFile)];
  const numbers = taken.filter((number): number is number => number !== null && Number.isSafeInteger(number));
  for (let number = numbers.reduce((most, next) => Math.max(most, next), 0) + 1; ; number += 1) {
    try {
      await (await open(join(directory, CLAIMS, String(number)), 'wx')).close();
      return number;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function issueNames(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(nothingWhereAbsent);
  return (names ?? [])
    .filter((name) => numberOfFile(name) !== null)
    .sort((a, b) => (numberOfFile(b) ?? 0) - (numberOfFile(a) ?? 0));
}

async function readIssue(directory: string, name: string): Promise<OutboxIssue | null> {
  const path = join(directory, name);
  const found = await stat(path).catch(nothingWhereAbsent);
  if (!found?.isFile() || found.size > MAX_FILE_BYTES) return null;
  const text = await readFile(path, 'utf8').catch(nothingWhereAbsent);
  const issue = text === null ? null : readIssueFile(text);
  return issue?.number === numberOfFile(name) ? issue : null;
}

/** Removes what a killed process left behind. */
async function removeOldDrafts(directory: string): Promise<void> {
  const drafts = (await readdir(directory)).filter((name) => DRAFT.test(name));
  for (const name of drafts) {
    const path = join(directory, name);
    const found = await stat(path).catch(nothingWhereAbsent);
    if (found && Date.now() - found.mtimeMs > DRAFT_LIFE_MS) await rm(path, { force: true });
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The folder belongs to another account, which decides who may read it. */
function ignoreForeign(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}

function nothingWhereAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** One issue of the outbox, as stored in its file. */
export interface OutboxIssue {
  readonly number: number;
  readonly repository: string;
  readonly title: string;
  readonly state: 'open' | 'closed';
  /** ISO 8601. */
  readonly created_at: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly body: string;
}

const frontMatter = v.object({
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  repository: v.string(),
  title: v.string(),
  state: v.fallback(v.picklist(['open', 'closed']), 'open'),
  created_at: v.string(),
  labels: v.array(v.string()),
  assignees: v.array(v.string()),
});

const OPEN = '---\n';
const CLOSE = '\n---\n';

/**
 * JSON front matter, the title as a heading, then the body byte for byte. JSON is valid YAML, so Markdown readers can parse
 * the front matter, and no JSON string contains a line break that could end it early. The front matter's title counts; the
 * heading is for readers.
 */
export function writeIssueFile(issue: OutboxIssue): string {
  const { body, ...head } = issue;
  return `${OPEN}${JSON.stringify(head, null, 2)}${CLOSE}\n# ${headingOf(issue.title)}\n\n${body}`;
}

/** `null` if the text is not such a file. */
export function readIssueFile(text: string): OutboxIssue | null {
  if (!text.startsWith(OPEN)) return null;
  const close = text.indexOf(CLOSE, OPEN.length - 1);
  const heading = text.indexOf('# ', close + CLOSE.length);
  if (close < 0 || heading !== close + CLOSE.length + 1) return null;
  const end = text.indexOf('\n\n', heading);
  const head = v.safeParse(frontMatter, parseJson(text.slice(OPEN.length, close)));
  if (end < 0 || !head.success) return null;
  return { ...head.output, body: text.slice(end + 2) };
}

const NAME = /^(\d{4,15})-[a-z0-9-]{1,80}\.md$/;

/** `0007-typeerror-in-cart.md` */
export function issueFileName(number: number, title: string): string {
  return `${String(number).padStart(4, '0')}-${slugOf(title)}.md`;
}

/** `null` if the name is not that of an issue file. */
export function numberOfFile(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, 50).replace(/-$/, '') || 'issue';
}

function headingOf(title: string): string {
  return title
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
