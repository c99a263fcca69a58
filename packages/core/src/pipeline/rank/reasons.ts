import { codeSpan } from '../draft/safe-markdown.js';
import type { ChangeFacts, Position, RankedCandidate } from './types.js';

const NAMED_TOKENS = 3;

/**
 * Why a commit is suspected, most telling first. What comes from outside stands in code spans, so the words are safe
 * in Markdown.
 */
export function reasonsOf(
  candidate: RankedCandidate,
  positions: readonly Position[],
  change: ChangeFacts | undefined,
): readonly string[] {
  const { owned, nearest, ageDays, historyRank, inWindow } = candidate;
  const reasons: string[] = [];
  const at = positions[owned?.position ?? nearest?.position ?? -1];
  if (owned && at) {
    reasons.push(`owns line ${at.line} of ${codeSpan(at.path, 160)}, ${placeOf(at, positions)}`);
    for (const sha of owned.through) {
      reasons.push(`looked through formatting commit ${codeSpan(sha.slice(0, 7))}`);
    }
  } else if (nearest && at) {
    const lines = nearest.distance === 1 ? '1 line' : `${nearest.distance} lines`;
    const place = `line ${at.line} of ${codeSpan(at.path, 160)}, ${placeOf(at, positions)}`;
    reasons.push(`wrote code ${lines} from ${place}`);
  }
  reasons.push(`changed ${ageOf(ageDays)} before the crash`);
  if (inWindow) reasons.push('came with the release that crashed first');
  if (change) {
    const inDiff = change.mentions ?? [];
    if (inDiff.length > 0) reasons.push(`its diff mentions ${named(inDiff)}`);
    if (change.message.length > 0) reasons.push(`its message mentions ${named(change.message)}`);
  }
  if (historyRank === 0) reasons.push('is the latest change of a file of the stack');
  else if (historyRank !== null) reasons.push('touched a file of the stack lately');
  else if (change?.touchesFile) reasons.push('touches a file of the stack');
  else if (change?.touchesDir) reasons.push('touches a directory of the stack');
  return reasons;
}

function placeOf(at: Position, positions: readonly Position[]): string {
  if (at.cause) return at === positions[0] ? 'the line that threw its cause' : 'a line of its cause’s stack';
  return at === positions.find(({ cause }) => !cause) ? 'the crashed line' : 'a line of the stack';
}

function named(tokens: readonly string[]): string {
  return tokens
    .slice(0, NAMED_TOKENS)
    .map((token) => codeSpan(token, 60))
    .join(', ');
}

/** In whole units, rounded down. */
export function ageOf(days: number): string {
  const [amount, unit] =
    days >= 1 ? [Math.floor(days), 'day'] : days * 24 >= 1 ? [Math.floor(days * 24), 'hour'] : [0, 'hour'];
  if (amount === 0) return 'less than an hour';
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`;
}
