import { DRAFT_LIMITS } from '../../domain/draft.js';
import type { AssignRule, Ownership } from '../../domain/ownership.js';
import type { Suspect } from '../../domain/suspect.js';

/** As an edited draft allows. */
const ACCOUNT_CHARS = 39;

export interface AssignInput {
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
