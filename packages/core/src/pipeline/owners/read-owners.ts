import {
  type CodeOwner,
  OWNERS_BYTES,
  type OwnedFile,
  type OwnerRule,
  type OwnersDialect,
  type Ownership,
  type OwnersProblemCode,
  type OwnersUnread,
} from '../../domain/ownership.js';
import type { OwnersFile } from '../../ports/code-host.js';
import { githubPattern, gitlabNormalised, gitlabPattern, matchesPath } from './path-pattern.js';
import {
  isShort,
  type ParsedOwners,
  type ParsedRule,
  type ProblemList,
  problemList,
  type RuleSection,
  rowsOf,
  splitRow,
} from './rules.js';
import type { Budget } from './segment-glob.js';

/** Steps of matching for one analysis, of which a file of thousands of lines needs a tenth. */
const MAX_STEPS = 10_000_000;
const PATH_CHARS = 4_096;
/** Owners listed for one line. */
const MAX_OWNERS = 20;
/** Lines that decide about one file: on GitLab, one of each section. */
const MAX_RULES = 20;
/** Sections of a file. */
const MAX_SECTIONS = 500;

/** Who owns each path. The same file and paths give the same answer, regardless of the cost of the patterns. */
export function readOwners(file: OwnersFile, paths: readonly string[]): Ownership {
  const { path, dialect, text } = file;
  const known = { file: path, dialect };
  const unread = (why: OwnersUnread): Ownership => ({ ...known, files: [], problems: [], unread: why });
  if (text === null || text.length >= OWNERS_BYTES) return unread('too_large');
  const parsed = dialect === 'github' ? parseGithub(text) : parseGitlab(text);
  if (parsed.sections.length > MAX_SECTIONS) return unread('too_complex');
  const budget: Budget = { left: MAX_STEPS };
  const files: OwnedFile[] = [];
  for (const one of paths) {
    files.push({ path: one, rules: rulesFor(one, parsed, budget) });
    if (budget.left < 0) return unread('too_complex');
  }
  return { ...known, files, problems: parsed.problems, unread: null };
}

function rulesFor(path: string, { sections }: ParsedOwners, budget: Budget): readonly OwnerRule[] {
  if (path.length > PATH_CHARS) return [];
  const segments = path.split('/');
  const found = sections.flatMap((section) => {
    const rule = lastMatch(section, segments, budget);
    if (rule === null) return [];
    const { line, pattern, owners } = rule;
    return { line, pattern, section: section.name, owners: distinct(owners), url: null };
  });
  return found.slice(0, MAX_RULES);
}

function lastMatch(
  { rules, excluded }: RuleSection,
  segments: readonly string[],
  budget: Budget,
): ParsedRule | null {
  for (const pattern of excluded) {
    if (budget.left < 0 || matchesPath(pattern, segments, budget)) return null;
  }
  for (let at = rules.length - 1; at >= 0 && budget.left >= 0; at--) {
    const rule = rules[at];
    if (rule && matchesPath(rule.path, segments, budget)) return rule;
  }
  return null;
}

/** Accounts and addresses have no case. */
function distinct(owners: readonly CodeOwner[]): readonly CodeOwner[] {
  const byName = new Map<string, CodeOwner>();
  for (const owner of owners) {
    const key = owner.name.toLowerCase();
    if (!byName.has(key)) byName.set(key, owner);
  }
  return [...byName.values()].slice(0, MAX_OWNERS);
}

const MAIL = /^[^@\s]{1,100}@[A-Za-z0-9.-]{1,250}\.[A-Za-z]{2,24}$/;
const FORMS = {
  github: { user: /^@[A-Za-z0-9][\w-]{0,98}$/, team: /^@[A-Za-z0-9][\w-]{0,98}\/[\w.-]{1,100}$/ },
  gitlab: { user: /^@\w[\w.-]{0,253}$/, team: /^@\w[\w.-]{0,253}(?:\/\w[\w.-]{0,253}){1,20}$/ },
} as const;
const ROLE = /^@@(?:developer|maintainer|owner)s?$/i;

/** One word of a line as an owner; `null` if it is not an owner. */
function readOwner(word: string, dialect: OwnersDialect): CodeOwner | null {
  const { user, team } = FORMS[dialect];
  if (user.test(word)) return { kind: 'user', name: word };
  if (team.test(word)) return { kind: 'team', name: word };
  if (dialect === 'gitlab' && ROLE.test(word)) return { kind: 'role', name: word };
  return MAIL.test(word) ? { kind: 'email', name: word } : null;
}

/** GitHub skips a line with invalid syntax. See "About code owners" in GitHub's documentation. */
function parseGithub(text: string): ParsedOwners {
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
function parseGitlab(text: string): ParsedOwners {
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
