import * as v from 'valibot';
import type { Target } from './ask.js';
import { movedIssue } from './schema.js';

/** REST shows an issue by its global number only to administrators. */
const MOVED_ISSUE = `query MovedIssue($id: IssueID!) { issue(id: $id) { reference(full: true) } }`;

/** Where an issue was moved to, by its global number. `null`: the token does not see it there. */
export async function movedTo(
  { client, signal }: Target,
  globalId: number,
): Promise<{ readonly project: Pick<Target, 'id' | 'repository'>; readonly number: number } | null> {
  const data = await client
    .graphql(MOVED_ISSUE, { id: `gid://gitlab/Issue/${globalId}` }, signal)
    .catch(() => null);
  const found = v.safeParse(movedIssue, data);
  const [, id, number] = /^([^#]+)#(\d+)$/.exec(found.success ? found.output.issue.reference : '') ?? [];
  return id === undefined ? null : { project: { id, repository: `gitlab:${id}` }, number: Number(number) };
}
