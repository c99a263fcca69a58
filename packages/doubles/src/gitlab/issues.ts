import {
  type Answer,
  accountOf,
  dateOf,
  FORBIDDEN,
  type Handle,
  levelOf,
  namesOf,
  notFound,
  ok,
  type ProjectRequest,
  paged,
  refuse,
  userShape,
} from './answer.js';
import { mergeRequestShape } from './repository.js';
import type { StoredIssue, StoredNote } from './state.js';

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;
const REPORTER = 20;

export function shownState(state: StoredIssue['state']): 'opened' | 'closed' {
  return state === 'open' ? 'opened' : state;
}

function shapeOf({ base, options, state: all }: ProjectRequest, issue: StoredIssue) {
  const { id, number, title, body, state, labels, assignees, user, confidential } = issue;
  const at = `${base}/${issue.repository}/-/issues`;
  const moved = typeof issue.gone === 'object' ? all.issue(issue.gone.repository, issue.gone.number) : null;
  const duplicate =
    issue.duplicateOf === undefined ? null : `${base}/api/v4/projects/1/issues/${issue.duplicateOf}`;
  return {
    ...{ id, iid: number, title, description: body, state: shownState(state), labels, confidential },
    project_id: 1,
    created_at: dateOf(issue.createdAt),
    closed_at: issue.closedAt ? dateOf(issue.closedAt) : null,
    author: userShape(options, user, base),
    assignees: assignees.map((name) => userShape(options, name, base)),
    web_url: `${at}/${number}`,
    discussion_locked: issue.locked ?? null,
    moved_to_id: moved?.id ?? null,
    issue_type: 'issue',
    _links: { self: `${base}/api/v4/projects/1/issues/${number}`, closed_as_duplicate_of: duplicate },
  };
}

/** Without the issues feature there is none, for any token. */
function issueOf({ state, project, params, repository }: ProjectRequest): StoredIssue | null {
  const found = repository.issuesDisabled ? null : state.issue(project, Number(params.issue_iid));
  return found?.gone === 'deleted' ? null : found;
}

export const listIssues: Handle = (request) => {
  const { state, project, query, repository, options } = request;
  if (repository.issuesDisabled) return paged([], request);
  const wanted = query.get('state') ?? 'all';
  const author = query.get('author_id');
  const after = Date.parse(query.get('created_after') ?? '') || 0;
  const name = author === null ? null : namesOf(options)[Number(author) - 1];
  const now = state.now();
  const found = state
    .of(project)
    .filter(
      (issue) =>
        issue.gone !== 'deleted' &&
        issue.listedAt <= now &&
        (wanted === 'all' || shownState(issue.state) === wanted) &&
        (name === null || issue.user === name) &&
        issue.createdAt >= after,
    )
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  if (query.get('sort') === 'asc') found.reverse();
  const page = paged(found, request);
  return { ...page, body: (page.body as readonly StoredIssue[]).map((issue) => shapeOf(request, issue)) };
};

export const readIssue: Handle = (request) => {
  const issue = issueOf(request);
  return issue === null ? notFound('') : ok(shapeOf(request, issue));
};

export const createIssue: Handle = (request) => {
  const { state, project, repository, body, token, options } = request;
  if (repository.archived || repository.issuesDisabled) return FORBIDDEN;
  const {
    title,
    description = '',
    labels = [],
    assignee_ids = [],
    confidential = false,
  } = body as {
    readonly title?: string;
    readonly description?: string;
    readonly labels?: string | readonly string[];
    readonly assignee_ids?: readonly number[];
    readonly confidential?: boolean;
  };
  if (title === undefined) return { status: 400, body: { error: 'title is missing' } };
  if (title.trim() === '') return refuse(400, { title: ["can't be blank"] });
  if (title.length > MAX_TITLE) return refuse(400, { title: ['is too long (maximum is 255 characters)'] });
  const { stored, commands } = interpret(description);
  if (stored.length > MAX_DESCRIPTION)
    return refuse(400, { description: [`is too long (maximum is ${MAX_DESCRIPTION} characters)`] });
  if (options.spam !== undefined && `${title}\n${stored}`.includes(options.spam)) return SPAM;
  // Without the role, labels and assignees are dropped. Assigning several people takes a paid plan.
  const may = levelOf(token) >= REPORTER;
  const names = [...new Set(Object.values(options.tokens).map(({ user }) => user)), ...(options.users ?? [])];
  const people = names.filter((name) => assignee_ids.includes(accountOf(options, name)));
  const issue = state.add({
    ...{ repository: project, title: title.trim(), body: stored, user: token.user },
    labels: may ? sorted(labels) : [],
    assignees: may ? people.slice(0, options.paid === true ? people.length : 1) : [],
    confidential: confidential || commands.includes('confidential'),
  });
  if (commands.includes('close')) state.setState(issue, 'closed');
  return { status: 201, body: shapeOf(request, issue) };
};

const SPAM: Answer = {
  status: 409,
  body: {
    needs_captcha_response: true,
    spam_log_id: 1,
    captcha_site_key: 'key',
    message: {
      error:
        'Your issue has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.',
    },
  },
};

/** Labels are created where they are missing, and shown by name. A text and each member of a list are split at commas. */
function sorted(labels: string | readonly string[]): string[] {
  const names = [labels].flat().flatMap((text) => text.split(',').map((label) => label.trim()));
  return [...new Set(names.filter((name) => name !== ''))].sort();
}

export const updateIssue: Handle = (request) => {
  const { state, token, body, repository } = request;
  const issue = issueOf(request);
  if (issue === null) return notFound('');
  if (repository.archived || (levelOf(token) < REPORTER && issue.user !== token.user)) return FORBIDDEN;
  if (body.state_event === 'reopen') state.setState(issue, 'open');
  if (body.state_event === 'close') state.setState(issue, 'closed');
  return ok(shapeOf(request, issue));
};

export const closedBy: Handle = (request) => {
  const issue = issueOf(request);
  if (issue === null) return notFound('');
  const { mergeRequests = [] } = request.repository;
  const found = mergeRequests.filter(({ closes = [] }) => closes.includes(issue.number));
  return paged(
    found.map((one) => mergeRequestShape(request, one)),
    request,
  );
};

function noteShape({ options, base }: ProjectRequest, note: StoredNote, issue: StoredIssue) {
  const { id, body, user, createdAt } = note;
  const author = userShape(options, user, base);
  return { id, body, author, created_at: dateOf(createdAt), system: false, noteable_iid: issue.number };
}

export const listNotes: Handle = (request) => {
  const issue = issueOf(request);
  if (issue === null) return notFound('');
  const now = request.state.now();
  const found = request.state.commentsOf(issue).filter((note) => note.listedAt <= now);
  if (request.query.get('sort') !== 'asc') found.reverse();
  return paged(
    found.map((note) => noteShape(request, note, issue)),
    request,
  );
};

export const createNote: Handle = (request) => {
  const { state, token, body, repository } = request;
  const issue = issueOf(request);
  if (issue === null) return notFound('');
  if (repository.archived || (issue.locked && levelOf(token) < REPORTER)) return FORBIDDEN;
  const { stored, commands } = interpret(String(body.body ?? ''));
  if (stored === '') return refuse(400, { note: ["can't be blank"] });
  const note = state.comment(issue, stored, token.user);
  if (commands.includes('close')) state.setState(issue, 'closed');
  return { status: 201, body: noteShape(request, note, issue) };
};

/** The names of the quick actions that a test may use; GitLab has about eighty. */
const NAMES =
  'close|reopen|assign|unassign|label|labels|confidential|due|milestone|lock|title|move|spend|cc|todo';

/** The alternatives of GitLab's own expression, in its order: blocks of code, inline code, HTML, quotes, and then commands. */
const COMMANDS = new RegExp(
  [
    '(?:^```.+?\\n```$)',
    '(?:^.*`\\n*.+?\\n*`$)',
    '(?:^<[^>]+?>\\n.+?\\n<\\/[^>]+?>$)',
    '(?:^>>>.+?\\n>>>$)',
    `(?:^\\/(?<cmd>${NAMES})(?: (?<arg>[^\\n]*))?(?:\\s*\\n|$))`,
  ].join('|'),
  'gims',
);

/** The text as GitLab stores it, without carriage returns, commands and space at its end, and the names of the commands. */
function interpret(text: string): { readonly stored: string; readonly commands: readonly string[] } {
  const commands: string[] = [];
  const stored = text.replaceAll('\r', '').replace(COMMANDS, (...found) => {
    const { cmd } = found.at(-1) as { readonly cmd?: string };
    if (cmd === undefined) return String(found[0]);
    commands.push(cmd.toLowerCase());
    return '';
  });
  return { stored: stored.trimEnd(), commands };
}
