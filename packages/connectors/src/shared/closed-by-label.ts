import type { ClosedAs } from '@culprit/core';

/** Names without spaces, hyphens, apostrophes and scope. The first two are among the labels that Forgejo and Gitea propose. */
const NOT_PLANNED = ['wontfix', 'invalid', 'wontdo', 'notplanned', 'archived'];
const DUPLICATE = ['duplicate'];

/**
 * Why an issue is closed, on systems that do not say it: by its labels, such as `wontfix`, `Reviewed/Won't Fix` or `resolution::duplicate`.
 * `null`: they do not say it.
 */
export function closedByLabel(labels: readonly string[]): ClosedAs | null {
  const names = labels.map((label) =>
    label
      .replace(/^.*(?:\/|::)/, '')
      .toLowerCase()
      .replace(/[^\p{L}]/gu, ''),
  );
  if (names.some((name) => DUPLICATE.includes(name))) return 'duplicate';
  return names.some((name) => NOT_PLANNED.includes(name)) ? 'not_planned' : null;
}
