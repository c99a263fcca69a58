import type { IssueToPublish, PublishedIssue } from '../ports/publisher.js';

/** What the code host changed or dropped, as text; empty if nothing. */
export function divergenceOf(signed: IssueToPublish, stored: PublishedIssue): readonly string[] {
  const found: string[] = [];
  if (stored.title !== signed.title) found.push('the title was changed');
  if (normal(stored.body) !== normal(signed.body)) found.push('the body was changed');
  for (const label of missing(signed.labels, stored.labels)) found.push(`label "${label}" was dropped`);
  for (const name of missing(signed.assignees, stored.assignees))
    found.push(`assignee "${name}" was dropped`);
  return [...found, ...(stored.divergence ?? [])];
}

/** Code hosts may normalise line endings; nothing else may differ. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n');
}

function missing(wanted: readonly string[], there: readonly string[]): readonly string[] {
  const known = new Set(there.map((name) => name.toLowerCase()));
  return wanted.filter((name) => !known.has(name.toLowerCase()));
}
