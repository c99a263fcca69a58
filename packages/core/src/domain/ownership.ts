import * as v from 'valibot';
import { about, type Doc, text } from './schema.js';

/** Whose rules a code owners file follows. */
const OWNERS_DIALECTS = ['github', 'gitlab'] as const;
/** One of `OWNERS_DIALECTS`. */
export type OwnersDialect = (typeof OWNERS_DIALECTS)[number];

/** Where each dialect looks for the file. The first place that has one counts, the others are ignored. */
export const OWNERS_PLACES: Readonly<Record<OwnersDialect, readonly string[]>> = {
  github: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'],
  gitlab: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
};
/** GitHub loads no larger file. */
export const OWNERS_BYTES = 3_000_000;

/** `user` is also GitLab's group without a parent: only GitLab can tell them apart. `role`: GitLab's `@@maintainer`. */
const OWNER_KINDS = ['user', 'team', 'role', 'email'] as const;
const ownerSchema = v.object({ kind: v.picklist(OWNER_KINDS), name: v.string() });
/** An owner as the file writes it: `@ada`, `@acme/payments`, `@@maintainer` or a mail address. */
export interface CodeOwner extends Doc<typeof ownerSchema> {}

const ruleSchema = v.object({
  line: about(v.number(), '1-based.'),
  pattern: v.string(),
  section: about(text, 'GitLab’s section.'),
  owners: about(v.array(ownerSchema), 'Empty: the line removes the owners.'),
  url: about(text, 'Permanent link to the line; `null` if the code host has no page.'),
});
/** The line of a code owners file that decides about a file. */
export interface OwnerRule extends Doc<typeof ruleSchema> {}

const ownedFileSchema = v.object({
  path: v.string(),
  rules: about(
    v.array(ruleSchema),
    'The lines that decide; more than one only with GitLab’s sections. Empty: none does.',
  ),
});
/** Who owns a file. */
export interface OwnedFile extends Doc<typeof ownedFileSchema> {}

/** Why a line of a code owners file is ignored, in whole or in part. The codes are stable. */
export const OWNERS_PROBLEMS = {
  negation: 'GitHub does not support patterns that start with !.',
  escaped_hash: 'GitHub does not support patterns that start with an escaped #.',
  range:
    'GitHub ignores a line whose pattern has [ or ] without a backslash: it knows no ranges. Write \\[ and \\] for a file or folder of that name.',
  invalid_pattern: 'The pattern is invalid or has more than 1,000 characters.',
  invalid_owner: 'An owner is neither an account, nor a team, nor a mail address.',
  no_owner: 'GitLab requires an owner on the line, or a default owner of its section.',
  invalid_section: 'The section has no name.',
} as const;
/** A stable code of `OWNERS_PROBLEMS`. */
export type OwnersProblemCode = keyof typeof OWNERS_PROBLEMS;
const problemSchema = v.object({
  line: v.number(),
  code: v.picklist(Object.keys(OWNERS_PROBLEMS) as OwnersProblemCode[]),
});
/** A line that is ignored, in whole or in part. */
export interface OwnersProblem extends Doc<typeof problemSchema> {}

/** Why a code owners file is not used. The codes are stable. */
export const OWNERS_UNREAD = {
  too_large: 'The file is too large or not text.',
  too_complex: 'The patterns take too long to match.',
} as const;
/** A stable code of `OWNERS_UNREAD`. */
export type OwnersUnread = keyof typeof OWNERS_UNREAD;

export const ownershipSchema = v.object({
  file: about(v.string(), 'Path of the code owners file.'),
  dialect: v.picklist(OWNERS_DIALECTS),
  files: about(v.array(ownedFileSchema), 'The crashed file first, then those of the suspects’ changes.'),
  problems: about(v.array(problemSchema), 'The first lines that are ignored.'),
  unread: about(
    v.nullable(v.picklist(Object.keys(OWNERS_UNREAD) as OwnersUnread[])),
    'Why the file is not used.',
  ),
});
/** Who owns the files of an analysis, by the repository's code owners file at the crashed revision. */
export interface Ownership extends Doc<typeof ownershipSchema> {}

/** Who is proposed as assignee in a new draft, besides the configured ones. */
export const ASSIGN_RULES = ['none', 'owner', 'suspect'] as const;
/** One of `ASSIGN_RULES`. */
export type AssignRule = (typeof ASSIGN_RULES)[number];

/** `CODEOWNERS line 12`, with the section if there is one. Contains text of the repository. */
export function ruleName({ file }: Pick<Ownership, 'file'>, { line, section }: OwnerRule): string {
  return `${file} line ${line}${section === null ? '' : `, section ${section}`}`;
}

/** The files that a rule decides about, so that readers need not skip the others. */
export function ownedFiles(ownership: Ownership | null | undefined): readonly OwnedFile[] {
  return ownership?.files.filter(({ rules }) => rules.length > 0) ?? [];
}
