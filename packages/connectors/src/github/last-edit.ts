import type { IssueEdit } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { askGraphql, type RepositoryName, unreadable } from './ask.js';
import { EDIT_QUERY } from './queries.js';
import { editedIssue } from './schema.js';

/** The latest change of an issue's title or text; `null` if there is none, or the issue is gone. */
export async function lastEditOf(target: RepositoryName, number: number): Promise<IssueEdit | null> {
  const { data } = await askGraphql(target, EDIT_QUERY, { number });
  const { issue } = read(editedIssue, data?.repository, unreadable);
  const body = issue?.lastEditedAt ? { at: issue.lastEditedAt, by: issue.editor?.login ?? null } : null;
  const renamed = issue?.timelineItems?.nodes?.at(-1) ?? null;
  const title = renamed && { at: renamed.createdAt, by: renamed.actor?.login ?? null };
  const known = [body, title].filter((edit) => edit !== null);
  return known.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0] ?? null;
}
