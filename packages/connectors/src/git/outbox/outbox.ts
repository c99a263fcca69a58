import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Check,
  CulpritError,
  defineConnector,
  hasMarker,
  type PublishedIssue,
  type Publisher,
} from '@culprit/core/connector';
import { type OutboxConfig, outboxConfig } from '../config.js';
import type { OutboxIssue } from './issue-folder.js';
import { outboxIssues, prepareIssue, readOutboxIssue } from './issue-folder.js';

/** A folder as publisher: each issue is a Markdown file, and a page that the host serves at `/outbox/{number}`. */
export const outbox = defineConnector({
  id: 'outbox',
  config: outboxConfig,
  setup: (config) => ({
    publisher: createOutboxPublisher(config),
    check: () => checkOutbox(config.directory),
  }),
});

/** Whether the folder is writable or, if it does not exist yet, can be created. Writes nothing. */
async function checkOutbox(directory: string): Promise<readonly Check[]> {
  try {
    const existing = await nearest(resolve(directory));
    if (!(await stat(existing)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(existing, constants.R_OK | constants.W_OK);
    return [{ name: 'outbox', ok: true, detail: directory }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = `${directory} is not writable (${code ?? 'unknown'}). Choose another folder, or grant write permission.`;
    return [{ name: 'outbox', ok: false, detail }];
  }
}

/** The path itself, or its closest existing parent. */
async function nearest(path: string): Promise<string> {
  return access(path).then(
    () => path,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
      return nearest(dirname(path));
    },
  );
}

/**
 * Publishes into a folder. Its listing is never late. `find` ignores the time: a marker is unique, and the folder's clock
 * may differ from the engine's.
 */
function createOutboxPublisher({ directory, baseUrl }: OutboxConfig): Publisher {
  const published = ({ repository: _repository, ...issue }: OutboxIssue): PublishedIssue => ({
    ...issue,
    url: `${baseUrl}/outbox/${issue.number}`,
  });

  return {
    listsAtOnce: true,

    async find(repository, marker, _since, signal) {
      try {
        for await (const issue of outboxIssues(directory)) {
          signal.throwIfAborted();
          if (issue.repository === repository && hasMarker(issue.body, marker)) return published(issue);
        }
        return null;
      } catch (error) {
        signal.throwIfAborted();
        throw unreadable(directory, error);
      }
    },

    async create({ repository, title, body, labels, assignees }, signal) {
      const content = {
        repository,
        title,
        state: 'open',
        created_at: now(),
        labels,
        assignees,
        body,
      } as const;
      if (signal.aborted) throw interrupted();
      const prepared = await prepareIssue(directory, content).catch((error: unknown) => {
        throw refused(directory, error);
      });
      if (signal.aborted) {
        await prepared.discard();
        throw interrupted();
      }
      await prepared.commit().catch((error: unknown) => {
        throw uncertain(directory, error);
      });
      return published(prepared.issue);
    },

    async read(repository, number, signal) {
      signal.throwIfAborted();
      try {
        const issue = await readOutboxIssue(directory, number);
        return issue?.repository === repository ? published(issue) : null;
      } catch (error) {
        throw unreadable(directory, error);
      }
    },
  };
}

function now(): string {
  return new Date().toISOString();
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

function unreadable(directory: string, cause: unknown): CulpritError {
  const detail = `The outbox ${directory} could not be read (${codeOf(cause)}). Check the folder's permissions.`;
  return new CulpritError('code_host_unavailable', detail, { cause });
}

/** Nothing is visible before the rename, so nothing was created. */
function refused(directory: string, cause: unknown): CulpritError {
  const detail =
    `The outbox ${directory} could not be written (${codeOf(cause)}). ` +
    'Check its free space and permissions, then approve again.';
  return new CulpritError('publish_refused', detail, { cause });
}

function uncertain(directory: string, cause: unknown): CulpritError {
  const detail = `It is unknown whether the issue was written to the outbox ${directory} (${codeOf(cause)}).`;
  return new CulpritError('publish_ambiguous', detail, { cause });
}

function interrupted(): CulpritError {
  return new CulpritError('publish_ambiguous', 'The issue was not written in time.');
}
