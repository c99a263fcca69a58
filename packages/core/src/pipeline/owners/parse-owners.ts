import type { CodeOwner, OwnersDialect, OwnersProblemCode } from '../../domain/ownership.js';
import { githubPattern, gitlabNormalised, gitlabPattern } from './path-pattern.js';
import {
  isShort,
  type ParsedOwners,
  type ParsedRule,
  type ProblemList,
  problemList,
  rowsOf,
  splitRow,
} from './rules.js';

const MAIL = /^[^@\s]{1,100}@[A-Za-z0-9.-]{1,250}\.[A-Za-z]{2,24}$/;
const FORMS = {
  github: { user: /^@[A-Za-z0-9][\w-]{0,98}$/, team: /^@[A-Za-z0-9][\w-]{0,98}\/[\w.-]{1,100}$/ },
  gitlab: { user: /^@\w[\w.-]{0,253}$/, team: /^@\w[\w.-]{0,253}(?:\/\w[\w.-]{0,253}){1,20}$/ },
} as const;
const ROLE = /^@@(?:developer|maintainer|owner)s?$/i;

/** One word of a line as an owner; `null` if it is none. */
function readOwner(word: string, dialect: OwnersDialect): CodeOwner | null {
  const { user, team } = FORMS[dialect];
  if (user.test(word)) return { kind: 'user', name: word };
  if (team.test(word)) return { kind: 'team', name: word };
  if (dialect === 'gitlab' && ROLE.test(word)) return { kind: 'role', name: word };
  return MAIL.test(word) ? { kind: 'email', name: word } : null;
}

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

/** `[Name]`, `^[Name]`, `[Name][2]`, each with default owners. GitLab ignores what follows in other forms. */
const HEADING = /^\^?\[([^\]]*)\](?:\[\d*\])?(\s+[@\w.\-/\s+]*)?/;
/** GitLab's name of the rules outside of any section. */
const DEFAULT_SECTION = 'codeowners';
const NAME_CHARS = 200;

interface Entry extends ParsedRule {
  readonly excludes: boolean;
}
interface Section {
  readonly name: string | null;
  /** By normalised pattern. One that is repeated keeps its first place, as in GitLab. */
  readonly entries: Map<string, Entry>;
}

/** See "Syntax of CODEOWNERS file" in GitLab's documentation. Sections of the same name are one, in any case. */
export function parseGitlab(text: string): ParsedOwners {
  const problems = problemList();
  const sections = new Map<string, Section>();
  const open = (name: string | null): Section => {
    const key = (name ?? DEFAULT_SECTION).toLowerCase();
    const found = sections.get(key) ?? { name, entries: new Map() };
    sections.set(key, found);
    return found;
  };
  let current = open(null);
  let defaults: readonly CodeOwner[] = [];
  for (const [line, row] of rowsOf(text)) {
    const heading = HEADING.exec(row);
    if (heading !== null) {
      const name = (heading[1] ?? '').trim().slice(0, NAME_CHARS);
      if (name === '') problems.add(line, 'invalid_section');
      current = open(name);
      defaults = ownersIn((heading[2] ?? '').split(/\s+/), line, problems);
    } else addRow(row, line, { current, defaults, problems });
  }
  const all = [...sections.values()].map(({ name, entries }) => ({
    name,
    rules: [...entries.values()].filter(({ excludes }) => !excludes),
    excluded: [...entries.values()].flatMap(({ path, excludes }) => (excludes ? path : [])),
  }));
  return { sections: all, problems: problems.all };
}

interface RowContext {
  readonly current: Section;
  readonly defaults: readonly CodeOwner[];
  readonly problems: ProblemList;
}

function addRow(row: string, line: number, { current, defaults, problems }: RowContext): void {
  const { pattern: written, words } = splitRow(row);
  if (!isShort(written)) {
    problems.add(line, 'invalid_pattern');
    return;
  }
  const excludes = written.startsWith('!');
  const pattern = excludes ? written.slice(1) : written;
  const known = gitlabNormalised(pattern);
  const owners = words.length === 0 ? defaults : ownersIn(words, line, problems);
  if (owners.length === 0 && !excludes) problems.add(line, 'no_owner');
  current.entries.set(known, { line, pattern, path: gitlabPattern(known), owners, excludes });
}

/** GitLab ignores a word that is no owner. */
function ownersIn(words: readonly string[], line: number, problems: ProblemList): readonly CodeOwner[] {
  const named = words.filter((word) => word !== '');
  const owners = named.flatMap((word) => readOwner(word, 'gitlab') ?? []);
  if (owners.length < named.length) problems.add(line, 'invalid_owner');
  return owners;
}
