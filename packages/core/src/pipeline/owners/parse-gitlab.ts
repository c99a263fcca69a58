import type { CodeOwner } from '../../domain/ownership.js';
import { readOwner } from './owner.js';
import { gitlabNormalised, gitlabPattern } from './path-pattern.js';
import {
  isShort,
  type ParsedOwners,
  type ParsedRule,
  type ProblemList,
  problemList,
  rowsOf,
  splitRow,
} from './rules.js';

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
