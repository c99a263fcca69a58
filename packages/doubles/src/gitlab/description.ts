/**
 * The routes that Culprit uses, with their parameters, types and values. `scripts/check-descriptions.mjs` compares them with GitLab's
 * own description; sources: RULES.md. GitLab ignores what it does not know, so that a misspelt filter finds everything.
 */
type Rule =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'datetime'
  | 'strings'
  | 'integers'
  | readonly string[]
  /** An integer from 1 up to this. */
  | number;

interface Operation {
  readonly query?: Readonly<Record<string, Rule>>;
  readonly body?: Readonly<Record<string, Rule>>;
  /** Members that must be given. */
  readonly required?: readonly string[];
}

const PAGES = { page: 'integer', per_page: 100 } as const;
const SORT = ['asc', 'desc'] as const;
const FILE = { query: { ref: 'string' }, required: ['ref'] } as const;

export const ROUTES: Readonly<Record<string, Operation>> = {
  'GET /user': {},
  'GET /users': { query: { username: 'string', ...PAGES } },
  'GET /personal_access_tokens/self': {},
  'GET /projects/{id}': { query: { license: 'boolean', statistics: 'boolean' } },
  'GET /projects/{id}/repository/tree': {
    query: {
      ...PAGES,
      ref: 'string',
      path: 'string',
      recursive: 'boolean',
      pagination: ['legacy', 'keyset', 'none'],
      page_token: 'string',
    },
  },
  'GET /projects/{id}/repository/files/{file_path}': FILE,
  'GET /projects/{id}/repository/files/{file_path}/blame': FILE,
  'GET /projects/{id}/repository/commits': {
    query: {
      ...PAGES,
      ref_name: 'string',
      since: 'datetime',
      until: 'datetime',
      path: 'string',
      first_parent: 'boolean',
      with_stats: 'boolean',
      order: ['default', 'topo'],
    },
  },
  'GET /projects/{id}/repository/commits/{sha}': { query: { stats: 'boolean' } },
  'GET /projects/{id}/repository/commits/{sha}/diff': { query: { ...PAGES, unidiff: 'boolean' } },
  'GET /projects/{id}/repository/commits/{sha}/refs': {
    query: { ...PAGES, type: ['branch', 'tag', 'all'] },
  },
  'GET /projects/{id}/repository/commits/{sha}/merge_requests': { query: PAGES },
  'GET /projects/{id}/repository/merge_base': { query: { refs: 'strings' }, required: ['refs'] },
  'GET /projects/{id}/repository/tags': {
    query: { ...PAGES, search: 'string', order_by: ['name', 'updated', 'version'], sort: SORT },
  },
  'GET /projects/{id}/releases': { query: { ...PAGES, order_by: ['released_at', 'created_at'], sort: SORT } },
  'GET /projects/{id}/deployments': {
    query: {
      ...PAGES,
      order_by: ['id', 'iid', 'created_at', 'updated_at', 'finished_at'],
      sort: SORT,
      environment: 'string',
      status: ['created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked'],
    },
  },
  'GET /projects/{id}/issues': {
    query: {
      ...PAGES,
      state: ['opened', 'closed', 'all'],
      scope: ['created_by_me', 'assigned_to_me', 'all'],
      author_id: 'integer',
      created_after: 'datetime',
      order_by: ['created_at', 'updated_at', 'due_date', 'label_priority', 'priority', 'relative_position'],
      sort: SORT,
      confidential: 'boolean',
    },
  },
  'POST /projects/{id}/issues': {
    body: {
      title: 'string',
      description: 'string',
      labels: 'strings',
      assignee_ids: 'integers',
      confidential: 'boolean',
    },
    required: ['title'],
  },
  'GET /projects/{id}/issues/{issue_iid}': {},
  'PUT /projects/{id}/issues/{issue_iid}': { body: { state_event: ['close', 'reopen'], labels: 'strings' } },
  'GET /projects/{id}/issues/{issue_iid}/closed_by': {},
  'GET /projects/{id}/issues/{issue_iid}/notes': {
    query: {
      ...PAGES,
      sort: SORT,
      order_by: ['created_at', 'updated_at'],
      activity_filter: ['all_notes', 'only_comments', 'only_activity'],
    },
  },
  'POST /projects/{id}/issues/{issue_iid}/notes': { body: { body: 'string' }, required: ['body'] },
};

export interface Matched {
  /** As in `ROUTES`. */
  readonly route: string;
  /** Values of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** The route of a request below `/api/v4`; slashes in values are encoded, so segments are compared. */
export function routeOf(method: string, path: string): Matched | null {
  const segments = path.split('/');
  for (const route of Object.keys(ROUTES)) {
    const [verb, template = ''] = route.split(' ');
    const parts = template.split('/');
    if (verb !== method || parts.length !== segments.length) continue;
    if (parts.some((part, index) => !part.startsWith('{') && part !== segments[index])) continue;
    const values = parts.flatMap((part, index) =>
      part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(segments[index] ?? '')] as const] : [],
    );
    return { route, path: Object.fromEntries(values) };
  }
  return null;
}

/** What GitLab would ignore or misread without an error. */
export function problemsOf(route: string, query: URLSearchParams, body: unknown): readonly string[] {
  const { query: parameters = {}, body: members, required = [] } = ROUTES[route] ?? {};
  const given: (readonly [string, unknown])[] =
    members === undefined
      ? [...new Set(query.keys())].map((name) => {
          const list = name.endsWith('[]');
          return [list ? name.slice(0, -2) : name, list ? query.getAll(name) : query.get(name)];
        })
      : Object.entries(Object(body));
  const rules = members ?? parameters;
  const problems = given.flatMap(([name, value]) => {
    const rule = rules[name];
    if (rule === undefined) return [`${name} is no parameter`];
    return allows(rule, value, members === undefined) ? [] : [`${name} must not be ${JSON.stringify(value)}`];
  });
  const names = new Set(given.map(([name]) => name));
  const missing = required.filter((name) => !names.has(name)).map((name) => `${name} is missing`);
  return [...problems, ...missing].map((problem) => `${route}: ${problem}`);
}

function allows(rule: Rule, value: unknown, text: boolean): boolean {
  if (typeof rule === 'number')
    return Number.isInteger(Number(value)) && Number(value) >= 1 && Number(value) <= rule;
  if (typeof rule !== 'string') return rule.includes(String(value));
  switch (rule) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return text ? value === 'true' || value === 'false' : typeof value === 'boolean';
    case 'integer':
      return text ? /^\d{1,15}$/.test(String(value)) : Number.isInteger(value);
    case 'datetime':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value));
    case 'strings':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'integers':
      return Array.isArray(value) && value.every(Number.isInteger);
    default:
      return false;
  }
}
