import type { StoredIssue } from './state.js';

/** Text that GitHub does not search for references: comments, code blocks and code spans. */
const QUIET_TEXT = /<!--[\s\S]*?-->|^(`{3,}|~{3,})[\s\S]*?^\1|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/gm;

/**
 * The issues that reference an issue or pull request: each shows in the other's timeline. An address counts on github.com
 * itself and on the double, not on redirect.github.com.
 */
export function referencesTo(
  issues: readonly StoredIssue[],
  repository: string,
  number: number,
  base: string,
): readonly StoredIssue[] {
  const name = repository.replace(/[.]/g, '\\.');
  const address = `(?:https://github\\.com|${base.replace(/[.]/g, '\\.')})/${name}/(?:pull|issues)/${number}`;
  const mention = new RegExp(`${address}(?!\\d)|(?:^|[\\s(\\[])(?:#|GH-|${name}#)${number}(?!\\w)`, 'im');
  return issues.filter(({ body }) => mention.test(body.replace(QUIET_TEXT, ' ')));
}
