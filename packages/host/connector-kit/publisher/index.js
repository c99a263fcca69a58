// @ts-check
import { defineConnector, hasMarker } from '@culprit/core/connector';
import * as v from 'valibot';

/** Where the host runs this connector: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Creates issues. This one stores them in memory: replace each body with a request to your system, with `fetch`. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({ url: v.pipe(v.string(), v.url()) }),
  setup: ({ url }) => ({
    publisher: inMemory(url),
    check: async () => [{ name: 'NAME', ok: true, detail: url }],
  }),
});

/**
 * @param {string} url
 * @returns {import('@culprit/core/connector').Publisher}
 */
function inMemory(url) {
  /** @type {(import('@culprit/core/connector').PublishedIssue & { repository: string })[]} */
  const issues = [];
  return {
    // Remove this if a new issue may be missing from listings for a while.
    listsAtOnce: true,
    // Only issues created by this publisher's own identity.
    async find(repository, marker, since) {
      const fits = issues.find(
        (issue) =>
          issue.repository === repository && issue.created_at >= since && hasMarker(issue.body, marker),
      );
      return fits ?? null;
    },
    // One attempt, never a retry. Reject with publish_refused only if the answer proves that nothing was created,
    // with publish_wait if you are rate limited, and with publish_ambiguous otherwise.
    async create({ repository, title, body, labels, assignees }, signal) {
      signal.throwIfAborted();
      const number = issues.length + 1;
      const created_at = new Date().toISOString();
      const place = `${url}/${number}`;
      const made = { repository, number, url: place, created_at, state: /** @type {const} */ ('open') };
      const issue = { ...made, title, body, labels, assignees };
      issues.push(issue);
      return issue;
    },
    async read(repository, number) {
      const issue = issues[number - 1];
      return issue?.repository === repository ? issue : null;
    },
  };
}
