import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutboxIssue, readOutboxIssue } from '@culprit/connectors/git';
import { CulpritError, type Run } from '@culprit/core';

/** Finds the issue of a published run in the local outbox, and its Markdown file. */
export async function findIssue(
  dataDirectory: string,
  run: Run,
): Promise<{ readonly file: string; readonly issue: OutboxIssue }> {
  const outbox = join(dataDirectory, 'outbox');
  const number = run.publication?.number ?? 0;
  const issue = await readOutboxIssue(outbox, number);
  const name = (await readdir(outbox)).find((file) => new RegExp(`^0*${number}-.*\\.md$`).test(file));
  if (issue === null || name === undefined) {
    throw new CulpritError('internal', `The outbox ${outbox} does not contain issue ${number}.`);
  }
  return { file: join(outbox, name), issue };
}
