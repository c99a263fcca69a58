import * as v from 'valibot';

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
