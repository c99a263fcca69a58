import type { GitCommit } from '../../shared/git.js';
import type { StoredComment, StoredIssue } from '../state.js';

/** GitHub writes dates in UTC without milliseconds. */
export function zulu(date: string | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Builds responses in GitHub's full shapes, so that they pass GitHub's own description. */
export function user(login: string, base: string) {
  const name = encodeURIComponent(login);
  const api = `${base}/users/${name}`;
  return {
    login,
    id: [...login].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1_000_000_007,
    node_id: `U_${Buffer.from(login).toString('base64url')}`,
    avatar_url: `${base}/avatars/${name}`,
    gravatar_id: '',
    url: api,
    html_url: `${base}/${name}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: login.endsWith('[bot]') || login === 'Copilot' ? 'Bot' : 'User',
    site_admin: false,
  };
}

export function label(name: string, repository: string, base: string) {
  return {
    id: [...name].reduce((sum, char) => sum * 33 + char.charCodeAt(0), 5) % 1_000_000_007,
    node_id: `LA_${Buffer.from(name).toString('base64url')}`,
    url: `${base}/repos/${repository}/labels/${encodeURIComponent(name)}`,
    name,
    description: null,
    color: 'ededed',
    default: false,
  };
}

export function issueType(name: string) {
  const id = [...name].reduce((sum, char) => sum * 33 + char.charCodeAt(0), 3) % 1_000_000_007;
  const node_id = `IT_${Buffer.from(name).toString('base64url')}`;
  return { id, node_id, name, description: null, color: null, is_enabled: true };
}

export function issue(stored: StoredIssue, base: string) {
  const { repository, number } = stored;
  const api = `${base}/repos/${repository}/issues/${number}`;
  const assignees = stored.assignees.map((login) => user(login, base));
  return {
    id: 1_000_000 + number,
    node_id: `I_${Buffer.from(`${repository}#${number}`).toString('base64url')}`,
    url: api,
    repository_url: `${base}/repos/${repository}`,
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: `${base}/${repository}/${stored.pullRequest ? 'pull' : 'issues'}/${number}`,
    number,
    state: stored.state,
    state_reason: stored.stateReason,
    title: stored.title,
    body: stored.body,
    user: user(stored.user, base),
    labels: stored.labels.map((name) => label(name, repository, base)),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    locked: stored.locked ?? false,
    active_lock_reason: null,
    comments: 0,
    closed_at: stored.state === 'closed' ? zulu(stored.closedAt ?? stored.updatedAt) : null,
    created_at: zulu(stored.createdAt),
    updated_at: zulu(stored.updatedAt),
    author_association: 'MEMBER',
    ...(stored.issueType === undefined
      ? {}
      : { type: stored.issueType === null ? null : issueType(stored.issueType) }),
    ...(stored.pullRequest
      ? {
          pull_request: {
            url: api,
            html_url: `${base}/${repository}/pull/${number}`,
            diff_url: api,
            patch_url: api,
          },
        }
      : {}),
  };
}

export function comment(
  { repository, number, id, body, user: login, createdAt }: StoredComment,
  base: string,
) {
  return {
    id,
    node_id: `IC_${id}`,
    url: `${base}/repos/${repository}/issues/comments/${id}`,
    html_url: `${base}/${repository}/issues/${number}#issuecomment-${id}`,
    issue_url: `${base}/repos/${repository}/issues/${number}`,
    body,
    user: user(login, base),
    author_association: 'MEMBER',
    created_at: zulu(createdAt),
    updated_at: zulu(createdAt),
  };
}

const UNSIGNED = { verified: false, reason: 'unsigned', payload: null, signature: null, verified_at: null };

export function commit(from: GitCommit, repository: string, base: string) {
  const api = `${base}/repos/${repository}/commits/${from.oid}`;
  return {
    url: api,
    sha: from.oid,
    node_id: `C_${from.oid}`,
    html_url: `${base}/${repository}/commit/${from.oid}`,
    comments_url: `${api}/comments`,
    commit: {
      url: `${base}/repos/${repository}/git/commits/${from.oid}`,
      author: from.author,
      committer: from.committer,
      message: from.message,
      comment_count: 0,
      tree: { sha: from.tree, url: `${base}/repos/${repository}/git/trees/${from.tree}` },
      verification: UNSIGNED,
    },
    author: null,
    committer: null,
    parents: from.parents.map((sha) => ({
      sha,
      url: `${base}/repos/${repository}/commits/${sha}`,
      html_url: `${base}/${repository}/commit/${sha}`,
    })),
  };
}
