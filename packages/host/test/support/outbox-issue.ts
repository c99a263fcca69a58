import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of an issue of the local outbox. */
export function readIssueText(
  directory: string,
  number: number,
): { readonly path: string; readonly text: string } {
  const name = readdirSync(directory).find((file) => new RegExp(`^0*${number}-.*\\.md$`).test(file)) ?? '';
  const path = join(directory, name);
  return { path, text: readFileSync(path, 'utf8') };
}
