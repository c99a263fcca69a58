import { read } from '../shared/read-answer.js';
import { answeredOrNull, type RepositoryName, unreadable } from './ask.js';
import { comparedCommits } from './schema.js';

/**
 * Whether one commit contains another: it is a descendant of it, or the same. `null` if GitHub does not have both. The second page has
 * no files, which the first one would list.
 */
export async function containsCommit(
  target: RepositoryName,
  sha: string,
  commit: string,
): Promise<boolean | null> {
  if (sha === commit) return true;
  const basehead = `${commit}...${sha}`;
  const compare = target.client.rest.repos.compareCommitsWithBasehead;
  const answer = await answeredOrNull(target, compare({ ...target.at, basehead, per_page: 1, page: 2 }));
  if (answer === null) return null;
  const { status } = read(comparedCommits, answer.data, unreadable);
  return status === 'ahead' || status === 'identical';
}
