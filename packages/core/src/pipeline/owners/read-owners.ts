import type { CodeOwner, OwnedFile, OwnerRule, Ownership, OwnersUnread } from '../../domain/ownership.js';
import { OWNERS_BYTES } from '../../domain/ownership.js';
import type { OwnersFile } from '../../ports/code-host.js';
import { parseGithub, parseGitlab } from './parse-owners.js';
import { matchesPath } from './path-pattern.js';
import type { ParsedOwners, ParsedRule, RuleSection } from './rules.js';
import type { Budget } from './segment-glob.js';

/** Steps of matching for one analysis, of which a file of thousands of lines needs a tenth. */
const MOST_STEPS = 10_000_000;
const PATH_CHARS = 4_096;
/** Owners listed for one line. */
const MOST_OWNERS = 20;
/** Lines that decide about one file: on GitLab, one of each section. */
const MOST_RULES = 20;
/** Sections of a file. */
const MOST_SECTIONS = 500;

/** Who owns each path. The same file and paths give the same answer, whatever the patterns cost. */
export function readOwners(file: OwnersFile, paths: readonly string[]): Ownership {
  const { path, dialect, text } = file;
  const known = { file: path, dialect };
  const unread = (why: OwnersUnread): Ownership => ({ ...known, files: [], problems: [], unread: why });
  if (text === null || text.length >= OWNERS_BYTES) return unread('too_large');
  const parsed = dialect === 'github' ? parseGithub(text) : parseGitlab(text);
  if (parsed.sections.length > MOST_SECTIONS) return unread('too_complex');
  const budget: Budget = { left: MOST_STEPS };
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
  return found.slice(0, MOST_RULES);
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
  return [...byName.values()].slice(0, MOST_OWNERS);
}
