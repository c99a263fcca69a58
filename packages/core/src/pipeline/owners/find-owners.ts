import { DRAFT_LIMITS } from '../../domain/draft.js';
import type { AssignRule, Ownership } from '../../domain/ownership.js';
import type { Suspect } from '../../domain/suspect.js';
import type { StepRunner } from '../analysis.js';
import { permanentLink } from '../draft/safe-markdown.js';
import type { AnalysedCodeHost } from '../evidence/recorder.js';
import type { Findings } from '../find-suspects.js';
import type { TextScrubber } from '../scrub-text.js';

const NAME_CHARS = 200;

export interface OwnersParts {
  readonly codeHost: AnalysedCodeHost | null;
  readonly repository: string | null;
  readonly signal: AbortSignal;
  readonly step: StepRunner;
  readonly scrub: TextScrubber;
}

/**
 * Who owns the crashed file and those of the suspects' changes. `null` if nobody knows, also if the question fails: the
 * history has the failed step, and the draft does without.
 */
export async function findOwners(
  { revision, located, suspects, links, index }: Findings,
  { codeHost, repository, signal, step, scrub }: OwnersParts,
): Promise<Ownership | null> {
  const ask = codeHost?.ownership;
  const changed = suspects.flatMap(({ hunk }) => hunk?.path ?? []);
  const crashed = located.slice(0, 1).map(({ path }) => path);
  // A change may be to a file that has been renamed or removed since.
  const paths = [...new Set([...crashed, ...changed.filter((path) => index.has(path))])];
  if (ask === undefined || repository === null || revision === null || paths.length === 0) return null;
  const { sha } = revision;
  try {
    const found = await step('owners', () => ask(repository, sha, paths, signal), ownersDetail);
    return found && shown(found, { sha, template: links.line, scrub });
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

interface ShownAt {
  readonly sha: string;
  readonly template: string | null;
  readonly scrub: TextScrubber;
}

/** With links, and without what must not leave. */
function shown(ownership: Ownership, { sha, template, scrub }: ShownAt): Ownership {
  const path = ownership.file;
  const clean = (text: string) => scrub(text).slice(0, NAME_CHARS);
  return {
    ...ownership,
    files: ownership.files.map((file) => ({
      ...file,
      rules: file.rules.map(({ line, pattern, section, owners }) => ({
        line,
        pattern: clean(pattern),
        section: section === null ? null : clean(section),
        owners: owners.map(({ kind, name }) => ({ kind, name: clean(name) })),
        url: permanentLink(template, { sha, path, line }),
      })),
    })),
  };
}

function ownersDetail(found: Ownership | null) {
  if (found === null) return { file: null };
  const { file, dialect, files, problems, unread } = found;
  return {
    file,
    dialect,
    unread,
    ignored_lines: problems.map(({ line, code }) => ({ line, code })),
    files: files.map(({ path, rules }) => ({
      path,
      lines: rules.map(({ line }) => line),
      owners: rules.reduce((sum, { owners }) => sum + owners.length, 0),
    })),
  };
}

/** As an edited draft allows. */
const ACCOUNT_CHARS = 39;

interface AssignInput {
  readonly assignees: readonly string[];
  readonly assign?: AssignRule | undefined;
  readonly suspects: readonly Suspect[];
  readonly ownership: Ownership | null;
}

/** The configured assignees, then those that the rule proposes. */
export function proposedAssignees({
  assignees,
  assign,
  suspects,
  ownership,
}: AssignInput): readonly string[] {
  const proposed =
    assign === 'owner' ? owningAccounts(ownership) : assign === 'suspect' ? accountOf(suspects[0]) : [];
  const fitting = proposed.filter((name) => name.length <= ACCOUNT_CHARS && /^[\w.-]+$/.test(name));
  const known = new Set(assignees.map((name) => name.toLowerCase()));
  const added = fitting.filter((name) => !known.has(name.toLowerCase()));
  return [...new Set([...assignees, ...added])].slice(0, DRAFT_LIMITS.assignees);
}

/** Of the crashed file. Only people can be assigned, so not teams, roles and mail addresses. */
function owningAccounts(ownership: Ownership | null): readonly string[] {
  const [crashed] = ownership?.files ?? [];
  const owners = crashed?.rules.flatMap((rule) => rule.owners) ?? [];
  return owners.flatMap(({ kind, name }) => (kind === 'user' ? name.slice(1) : []));
}

/** A commit that is only a possible cause assigns nobody. */
function accountOf(suspect: Suspect | undefined): readonly string[] {
  if (suspect === undefined || suspect.verdict === 'recent') return [];
  return suspect.author.account === undefined ? [] : [suspect.author.account];
}
