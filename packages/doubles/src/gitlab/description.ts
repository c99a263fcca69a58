import type { Operation } from '../shared/description.js';

const PAGES = { page: 'integer', per_page: 100 } as const;
const SORT = ['asc', 'desc'] as const;
const FILE = { query: { ref: 'string' }, required: ['ref'] } as const;

/**
 * The routes that Culprit uses, with their parameters, types and values. `scripts/check-descriptions.mjs` compares them with GitLab's
 * own description; sources: RULES.md. GitLab ignores what it does not know, so that a misspelt filter finds everything.
 */
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
