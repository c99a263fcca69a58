import { read } from '../shared/read-answer.js';
import { earliestFirst, firstVersion, packageOf } from '../shared/version-tags.js';
import { ask, askOrNull, nextPage, type Target } from './ask.js';
import { unreadable } from './errors.js';
import { iso } from './map.js';
import { refs, tags } from './schema.js';

const PER_PAGE = 100;
/** Of the tags that contain the commit, and of the newest tags: each is a request. */
const MOST_PAGES = 5;

/**
 * The earliest tag of a version that contains a commit. GitLab lists the tags that contain it without their dates, so these are
 * read from the list of tags, newest first. `null` if GitLab does not have the commit, if no version or those of several packages
 * contain it, or if there are more tags than are read.
 */
export async function firstRelease(target: Target, commit: string): Promise<string | null> {
  const names = await tagsWith(target, commit);
  const versions = new Set(names?.filter((name) => packageOf(name) !== null));
  if (versions.size === 0 || new Set([...versions].map(packageOf)).size > 1) return null;
  const [only = '', another] = versions;
  if (another === undefined) return only;
  const dated = await datesOf(target, versions);
  return dated && firstVersion(earliestFirst(dated).map(({ name }) => name));
}

/** `null`: GitLab does not have the commit, or there are more than are read. */
async function tagsWith(target: Target, sha: string): Promise<readonly string[] | null> {
  const route = 'GET /projects/{id}/repository/commits/{sha}/refs';
  const names: string[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await askOrNull(target, route, { sha, type: 'tag', per_page: PER_PAGE, page });
    if (answer === null) return null;
    names.push(...read(refs, answer.data, unreadable).map(({ name }) => name));
    if (nextPage(answer) === null) return names;
  }
  return null;
}

/** `null`: some are not among the newest tags. */
async function datesOf(target: Target, names: ReadonlySet<string>) {
  const found: { readonly name: string; readonly created_at: string }[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await ask(target, 'GET /projects/{id}/repository/tags', {
      order_by: 'updated',
      sort: 'desc',
      per_page: PER_PAGE,
      page,
    });
    for (const { name, commit, created_at } of read(tags, answer.data, unreadable)) {
      const at = created_at ?? commit?.committed_date;
      if (names.has(name) && at != null) found.push({ name, created_at: iso(at) });
    }
    if (found.length >= names.size) return found;
    if (nextPage(answer) === null) return null;
  }
  return null;
}
