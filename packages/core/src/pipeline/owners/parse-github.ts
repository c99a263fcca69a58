import type { OwnersProblemCode } from '../../domain/ownership.js';
import { readOwner } from './owner.js';
import { githubPattern } from './path-pattern.js';
import { isShort, type ParsedOwners, type ParsedRule, problemList, rowsOf, splitRow } from './rules.js';

/** GitHub skips a line with invalid syntax. See "About code owners" in GitHub's documentation. */
export function parseGithub(text: string): ParsedOwners {
  const problems = problemList();
  const rules: ParsedRule[] = [];
  for (const [line, row] of rowsOf(text)) {
    const { pattern, words } = splitRow(row);
    const comment = words.findIndex((word) => word.startsWith('#'));
    const named = comment < 0 ? words : words.slice(0, comment);
    const owners = named.flatMap((word) => readOwner(word, 'github') ?? []);
    const problem = owners.length < named.length ? 'invalid_owner' : problemOf(pattern);
    if (problem === null) rules.push({ line, pattern, path: githubPattern(pattern), owners });
    else problems.add(line, problem);
  }
  return { sections: [{ name: null, rules, excluded: [] }], problems: problems.all };
}

function problemOf(pattern: string): OwnersProblemCode | null {
  if (pattern.startsWith('!')) return 'negation';
  if (pattern.startsWith('\\#')) return 'escaped_hash';
  const bare = pattern.replace(/\\./gs, '');
  if (/[[\]]/.test(bare)) return 'range';
  return bare.includes('***') || bare.endsWith('\\') || !isShort(pattern) ? 'invalid_pattern' : null;
}
