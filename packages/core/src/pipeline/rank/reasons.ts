import type { FileMove, LineRole, Reason, ReasonFact } from '../../domain/suspect.js';
import { isRevert } from './features.js';
import { reason } from './reason-wording.js';
import type { ChangeFacts, Position, RankedCandidate } from './types.js';

/** Minimum strength of a mechanism that is reported. */
const NAMED_FROM = 0.3;
const NAMED_MECHANISMS = 2;
const NAMED_WORDS = 3;

/** Why a commit is suspected, strongest reason first. */
export function reasonsOf(
  candidate: RankedCandidate,
  positions: readonly Position[],
  change: ChangeFacts | undefined,
  moves: readonly FileMove[] = [],
): readonly Reason[] {
  const { ageDays, inWindow } = candidate;
  const facts: readonly ReasonFact[] = [
    ...(change && isRevert(change.title) ? [{ code: 'reverts_change' } as const] : []),
    ...mechanismFacts(candidate),
    ...lineFacts(candidate, positions, moves),
    { code: 'age', days: ageDays },
    ...(inWindow ? [{ code: 'in_first_release' } as const] : []),
    ...mentions('diff_mentions', change?.content?.added),
    ...mentions('message_mentions', change?.message),
    ...fileFacts(candidate, change),
  ];
  return facts.map(reason);
}

/** What the commit did to the code, if few other candidates did the same. Creating a file does not count. */
function mechanismFacts({ mechanisms }: RankedCandidate): readonly ReasonFact[] {
  return mechanisms
    .filter(({ strength }) => strength >= NAMED_FROM)
    .slice(0, NAMED_MECHANISMS)
    .map(({ code, words }) => ({ code, words: words.slice(0, NAMED_WORDS) }));
}

function lineFacts(
  { owned, nearest }: RankedCandidate,
  positions: readonly Position[],
  moves: readonly FileMove[],
): readonly ReasonFact[] {
  const at = positions[owned?.position ?? nearest?.position ?? -1];
  if (!at) return [];
  const line = { path: at.path, line: at.line, role: roleOf(at, positions) };
  if (owned) {
    return [
      { code: 'last_changed_line', ...line },
      ...moves.map((move) => ({ code: 'moved_from', ...move }) as const),
      ...owned.through.map((sha) => ({ code: 'before_formatting', sha }) as const),
    ];
  }
  return nearest ? [{ code: 'changed_nearby', ...line, distance: nearest.distance }] : [];
}

function roleOf(at: Position, positions: readonly Position[]): LineRole {
  if (at.cause) return at === positions[0] ? 'cause_thrown' : 'cause_stack';
  return at === positions.find(({ cause }) => !cause) ? 'crashed' : 'stack';
}

function mentions(
  code: 'diff_mentions' | 'message_mentions',
  words: readonly string[] | null | undefined,
): readonly ReasonFact[] {
  return words && words.length > 0 ? [{ code, words }] : [];
}

function fileFacts({ historyRank }: RankedCandidate, change: ChangeFacts | undefined): readonly ReasonFact[] {
  if (historyRank !== null) return [{ code: historyRank === 0 ? 'latest_in_file' : 'recent_in_file' }];
  if (change?.content?.touchesFile) return [{ code: 'touches_file' }];
  return change?.content?.touchesDir ? [{ code: 'touches_directory' }] : [];
}
