import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutboxIssue, readOutboxIssue } from '@culprit/connectors/git';
import { CulpritError, type Run } from '@culprit/core';

/** The local outbox's issue of a published run, and the Markdown file that holds it. */
export async function findIssue(
  dataDirectory: string,
  run: Run,
): Promise<{ readonly file: string; readonly issue: OutboxIssue }> {
  const outbox = join(dataDirectory, 'outbox');
  const number = run.publication?.number ?? 0;
  const issue = await readOutboxIssue(outbox, number);
  const name = (await readdir(outbox)).find((file) => new RegExp(`^0*${number}-.*\\.md$`).test(file));
  if (issue === null || name === undefined) {
    throw new CulpritError('internal', `The outbox ${outbox} holds no issue ${number}.`);
  }
  return { file: join(outbox, name), issue };
}
