#!/usr/bin/env node
// Compares what the GitLab and Forgejo doubles and connectors know of an API with the system's own description, Swagger 2 or
// OpenAPI 3, as JSON or YAML: node scripts/check-descriptions.mjs [--gitlab FILE] [--forgejo FILE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as forgejo from '../packages/connectors/dist/forgejo/schema.js';
import * as gitlab from '../packages/connectors/dist/gitlab/schema.js';
import { OPERATIONS } from '../packages/doubles/dist/forgejo/description.js';
import { ROUTES } from '../packages/doubles/dist/gitlab/description.js';
import { openDescription } from './lib/api-description.mjs';

/** What the connector reads of a response. */
const GITLAB_ANSWERS = {
  'GET /user': gitlab.user,
  'GET /users': gitlab.users,
  'GET /projects/{id}': gitlab.project,
  'GET /projects/{id}/repository/tree': gitlab.tree,
  'GET /projects/{id}/repository/files/{file_path}/blame': gitlab.blame,
  'GET /projects/{id}/repository/commits/{sha}': gitlab.commit,
  'GET /projects/{id}/repository/commits/{sha}/diff': gitlab.diffs,
  'GET /projects/{id}/repository/commits/{sha}/refs': gitlab.refs,
  'GET /projects/{id}/repository/commits/{sha}/merge_requests': gitlab.mergeRequests,
  'GET /projects/{id}/repository/merge_base': gitlab.mergeBase,
  'GET /projects/{id}/repository/tags': gitlab.tags,
  'GET /projects/{id}/releases': gitlab.releases,
  'GET /projects/{id}/deployments': gitlab.deployments,
  'GET /projects/{id}/issues': gitlab.issues,
  'POST /projects/{id}/issues': gitlab.issue,
  'GET /projects/{id}/issues/{issue_iid}': gitlab.issue,
  'PUT /projects/{id}/issues/{issue_iid}': gitlab.issue,
  'GET /projects/{id}/issues/{issue_iid}/closed_by': gitlab.mergeRequests,
  'GET /projects/{id}/issues/{issue_iid}/notes': gitlab.notes,
  'POST /projects/{id}/issues/{issue_iid}/notes': gitlab.note,
};
/** By `operationId`. */
const FORGEJO_ANSWERS = {
  userGetCurrent: forgejo.userSchema,
  repoGet: forgejo.repositorySchema,
  repoGetAssignees: forgejo.userSchema,
  repoGetCommitPullRequest: forgejo.pullRequestSchema,
  issueListLabels: forgejo.labelSchema,
  issueListIssues: forgejo.issueSchema,
  issueGetIssue: forgejo.issueSchema,
  issueCreateIssue: forgejo.issueSchema,
  issueEditIssue: forgejo.issueSchema,
  issueGetComments: forgejo.commentSchema,
  issueCreateComment: forgejo.commentSchema,
  issueCreateLabel: forgejo.labelSchema,
};

const { values } = parseArgs({ options: { gitlab: { type: 'string' }, forgejo: { type: 'string' } } });
if (values.gitlab === undefined && values.forgejo === undefined) {
  console.error('Pass the description of a system: --gitlab FILE, --forgejo FILE.');
  process.exit(2);
}
const lines = [
  ...compare('gitlab', '/api/v4', ROUTES, (route) => route, GITLAB_ANSWERS),
  ...compare('forgejo', '', OPERATIONS, (_, { id }) => id, FORGEJO_ANSWERS),
];
for (const line of lines) console.log(line);
console.log(lines.length === 0 ? 'no differences' : `${lines.length} differences`);
process.exit(lines.length === 0 ? 0 : 1);

function compare(host, prefix, operations, nameOf, answers) {
  if (values[host] === undefined) return [];
  const theirs = openDescription(readFileSync(values[host], 'utf8'));
  return Object.entries(operations).flatMap(([route, operation]) => {
    const [method, path] = route.split(' ');
    const name = nameOf(route, operation);
    const { query = {}, body = null, required = [] } = operation;
    const ours = { method, path: `${prefix}${path}`, query, body, required, answer: answers[name] };
    return theirs.differences(ours).map((what) => `${host} ${name}: ${what}`);
  });
}
