import type { Session } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { mayIn } from '@culprit/core/internal/domain/access';
import { samePerson } from '@culprit/core/internal/domain/person';

/** Whose turn it is: `yours` if you may decide now, `another` if your role or the rules ask for another reviewer, `nobody` if Culprit is working or the run is snoozed. */
export type Turn = 'yours' | 'another' | 'nobody';

export const TURN_WORDS: Readonly<Record<Turn, string>> = {
  yours: 'your turn',
  another: 'another reviewer’s turn',
  nobody: 'nobody’s turn',
};

/** `null` for a closed run. */
export function turnOf(
  { state, draft, approved_by, project }: Pick<RunSummary, 'state' | 'draft' | 'approved_by' | 'project'>,
  { name, rules, grants }: Pick<Session, 'name' | 'rules' | 'grants'>,
): Turn | null {
  switch (state) {
    case 'staged_raw':
      return mayIn(grants, 'gate1', project) ? 'yours' : 'another';
    case 'staged_draft':
      if (!mayIn(grants, 'gate2', project)) return 'another';
      return rules.second_person && [approved_by, draft?.edited_by].some((by) => by && samePerson(by, name))
        ? 'another'
        : 'yours';
    case 'analyzing':
    case 'publishing':
    case 'snoozed':
      return 'nobody';
    case 'published':
    case 'rejected':
    case 'merged':
      return null;
  }
}
