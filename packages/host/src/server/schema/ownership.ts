import {
  OWNER_KINDS,
  OWNERS_DIALECTS,
  OWNERS_PROBLEMS,
  OWNERS_UNREAD,
  type Ownership,
  type OwnersProblemCode,
  type OwnersUnread,
} from '@culprit/core/internal/domain/ownership';
import * as v from 'valibot';

/** Who owns the files of an analysis. */
export const ownershipSchema = v.object({
  file: v.pipe(v.string(), v.description('Path of the code owners file.')),
  dialect: v.picklist(OWNERS_DIALECTS),
  files: v.pipe(
    v.array(
      v.object({
        path: v.string(),
        rules: v.pipe(
          v.array(
            v.object({
              line: v.number(),
              pattern: v.string(),
              section: v.pipe(v.nullable(v.string()), v.description('GitLab’s section.')),
              owners: v.pipe(
                v.array(v.object({ kind: v.picklist(OWNER_KINDS), name: v.string() })),
                v.description('Empty: the line takes the owners away.'),
              ),
              url: v.nullable(v.string()),
            }),
          ),
          v.description(
            'The lines that decide; more than one only with GitLab’s sections. Empty: none does.',
          ),
        ),
      }),
    ),
    v.description('The crashed file first, then those of the suspects’ changes.'),
  ),
  problems: v.pipe(
    v.array(
      v.object({
        line: v.number(),
        code: v.picklist(Object.keys(OWNERS_PROBLEMS) as OwnersProblemCode[]),
      }),
    ),
    v.description('The first lines that are ignored.'),
  ),
  unread: v.pipe(
    v.nullable(v.picklist(Object.keys(OWNERS_UNREAD) as OwnersUnread[])),
    v.description('Why the file is not used.'),
  ),
}) satisfies v.GenericSchema<unknown, Ownership>;
