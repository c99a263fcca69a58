import { randomUUID } from 'node:crypto';
import { defineConnector, hasMarker } from '@culprit/core/connector';
import * as v from 'valibot';

/** Stores issues in a list. A real publisher calls a server, and its errors state whether the issue was created. */
export const listPublisher = defineConnector({
  id: 'list-publisher',
  config: v.strictObject({ baseUrl: v.pipe(v.string(), v.url()) }),
  setup({ baseUrl }) {
    const issues = [];
    return {
      publisher: {
        listsAtOnce: true,
        async find(repository, marker, since) {
          const mine = (issue) => issue.repository === repository && issue.created_at >= since;
          return issues.find((issue) => mine(issue) && hasMarker(issue.body, marker)) ?? null;
        },
        async create({ repository, title, body, labels, assignees }, signal) {
          signal.throwIfAborted();
          const number = issues.length + 1;
          const created_at = new Date().toISOString();
          const url = `${baseUrl}/${number}-${randomUUID()}`;
          issues.push({ repository, number, url, created_at, state: 'open', title, body, labels, assignees });
          return issues.at(-1);
        },
        read: async (repository, number) => {
          const issue = issues[number - 1];
          return issue?.repository === repository ? issue : null;
        },
      },
    };
  },
});
