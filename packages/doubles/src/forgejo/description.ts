/** What the Swagger description says of a value. */
type Kind = 'string' | 'integer' | 'boolean' | 'date-time' | 'strings' | 'integers' | readonly string[];

/** One operation of the Swagger description, with the token's scope that its route demands. */
export interface Operation {
  /** Its `operationId`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below `/api/v1`. */
  readonly path: string;
  /** `null`: no token is needed. */
  readonly category: 'repository' | 'issue' | 'user' | 'organization' | null;
  readonly query: Readonly<Record<string, Kind>>;
  readonly body: Readonly<Record<string, Kind>> | null;
  readonly required: readonly string[];
}

const REPO = '/repos/{owner}/{repo}';
const PAGES = { page: 'integer', limit: 'integer' } as const;

function get(
  id: string,
  path: string,
  category: Operation['category'],
  query: Operation['query'] = {},
): Operation {
  return { id, method: 'GET', path, category, query, body: null, required: [] };
}

/** The operations that the connector uses. Sources: RULES.md, "Description". */
export const OPERATIONS: readonly Operation[] = [
  get('getVersion', '/version', null),
  get('userGetCurrent', '/user', 'user'),
  get('repoGet', REPO, 'repository'),
  get('repoGetAssignees', `${REPO}/assignees`, 'repository'),
  get('repoGetCommitPullRequest', `${REPO}/commits/{sha}/pull`, 'repository'),
  get('issueListLabels', `${REPO}/labels`, 'issue', PAGES),
  get('orgListLabels', '/orgs/{org}/labels', 'organization', { ...PAGES, sort: 'string' }),
  get('issueListIssues', `${REPO}/issues`, 'issue', {
    ...PAGES,
    state: ['closed', 'open', 'all'],
    labels: 'string',
    q: 'string',
    type: ['issues', 'pulls'],
    milestones: 'string',
    since: 'date-time',
    before: 'date-time',
    created_by: 'string',
    assigned_by: 'string',
    mentioned_by: 'string',
  }),
  get('issueGetIssue', `${REPO}/issues/{index}`, 'issue'),
  get('issueGetComments', `${REPO}/issues/{index}/comments`, 'issue', {
    since: 'date-time',
    before: 'date-time',
  }),
  {
    ...{ id: 'issueCreateIssue', method: 'POST', path: `${REPO}/issues`, category: 'issue', query: {} },
    body: {
      title: 'string',
      body: 'string',
      ref: 'string',
      assignee: 'string',
      assignees: 'strings',
      due_date: 'date-time',
      milestone: 'integer',
      labels: 'integers',
      closed: 'boolean',
    },
    required: ['title'],
  },
  {
    ...{
      id: 'issueEditIssue',
      method: 'PATCH',
      path: `${REPO}/issues/{index}`,
      category: 'issue',
      query: {},
    },
    body: {
      title: 'string',
      body: 'string',
      ref: 'string',
      assignee: 'string',
      assignees: 'strings',
      milestone: 'integer',
      state: 'string',
      due_date: 'date-time',
      unset_due_date: 'boolean',
    },
    required: [],
  },
  {
    ...{
      id: 'issueCreateComment',
      method: 'POST',
      path: `${REPO}/issues/{index}/comments`,
      category: 'issue',
    },
    query: {},
    body: { body: 'string' },
    required: ['body'],
  },
  {
    ...{
      id: 'issueAddLabel',
      method: 'POST',
      path: `${REPO}/issues/{index}/labels`,
      category: 'issue',
      query: {},
    },
    body: { labels: 'integers' },
    required: [],
  },
  {
    ...{ id: 'issueCreateLabel', method: 'POST', path: `${REPO}/labels`, category: 'issue', query: {} },
    body: {
      name: 'string',
      color: 'string',
      description: 'string',
      exclusive: 'boolean',
      is_archived: 'boolean',
    },
    required: ['name', 'color'],
  },
];

export interface Matched {
  readonly operation: Operation;
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>;
}

export function operationOf(method: string, path: string): Matched | null {
  const parts = path.split('/');
  for (const operation of OPERATIONS) {
    const names = operation.path.split('/');
    if (operation.method !== method || names.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = names.every((name, at) => {
      const part = parts[at] ?? '';
      if (!name.startsWith('{')) return name === part;
      params[name.slice(1, -1)] = decodeURIComponent(part);
      return part !== '';
    });
    if (fits) return { operation, params };
  }
  return null;
}

/** What in a request violates the description. The server ignores most of it, so only the double notices. */
export function violationsOf(
  { id, query, body, required }: Operation,
  url: URL,
  sent: unknown,
): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of url.searchParams) {
    const kind = query[name];
    if (kind === undefined) found.push(`${id}: unknown parameter ${name}`);
    else if (!isOf(kind, /^\d+$/.test(value) && kind === 'integer' ? Number(value) : value))
      found.push(`${id}: ${name}=${value} is not ${kind}`);
  }
  if (body === null) return sent === null ? found : [...found, `${id}: has no body`];
  const members = Object(sent) as Record<string, unknown>;
  for (const [name, value] of Object.entries(members)) {
    const kind = body[name];
    if (kind === undefined) found.push(`${id}: unknown member ${name}`);
    else if (!isOf(kind, value)) found.push(`${id}: ${name} is not ${kind}`);
  }
  for (const name of required) if (members[name] === undefined) found.push(`${id}: ${name} is missing`);
  return found;
}

/** RFC 3339, as Go reads it. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function isOf(kind: Kind, value: unknown): boolean {
  if (typeof kind === 'object') return kind.includes(String(value));
  if (kind === 'date-time') return typeof value === 'string' && DATE_TIME.test(value);
  if (kind === 'integer') return Number.isSafeInteger(value);
  if (kind === 'strings') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (kind === 'integers') return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));
  return typeof value === kind;
}
