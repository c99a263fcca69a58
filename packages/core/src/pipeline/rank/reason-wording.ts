import type { ReleaseWindow } from '../../domain/release.js';
import type { FileMove, LineRole, Reason, ReasonCode, ReasonFact, Suspect } from '../../domain/suspect.js';
import { codeSpan } from '../draft/safe-markdown.js';
import { isRevert } from './features.js';
import type { ChangeFacts, Position, RankedCandidate } from './types.js';

/** The wording of every reason. Each reads on from "This commit"; `{name}` is the parameter of that name. */
const WORDING: Readonly<Record<ReasonCode, string>> = {
  last_changed_line: 'last changed line {line} of {path}, {role}',
  changed_nearby: 'changed code {distance} away from line {line} of {path}, {role}',
  before_formatting: 'precedes formatting commit {sha}, which was skipped',
  moved_from: 'changed this code before it was moved from {from} to {to}{by}',
  signature_changed: 'changed the parameters of {words}',
  definition_removed: 'removed or renamed {words}, which the crashed code uses',
  guard_removed: 'removed a check or fallback for {words}',
  error_raised: 'added code that raises an error about {words}',
  condition_changed: 'changed a condition on {words}',
  value_changed: 'changed the value of {words}, which the crashed code uses',
  callee_changed: 'changed {words}, which the crashed code calls',
  import_changed: 'changed an import of {words}',
  reverts_change: 'reverts or reapplies an earlier change',
  investigated: 'added or removed {quote}; the wrong value or state is made at {place}',
  age: 'was committed {days} before the crash',
  in_first_release: 'is in the first release that crashed',
  in_release: 'is {commits} that release {release} brought',
  diff_mentions: 'mentions {words} in its diff',
  message_mentions: 'mentions {words} in its message',
  latest_in_file: 'is the latest change to a file in the stack',
  recent_in_file: 'recently changed a file in the stack',
  touches_file: 'changes a file in the stack',
  touches_directory: 'changes a directory of the stack',
};

const ROLES: Readonly<Record<LineRole, string>> = {
  crashed: 'the crashed line',
  stack: 'a line in the stack',
  cause_thrown: 'where the cause was thrown',
  cause_stack: 'a line in the cause’s stack',
};

type ParametersOf<Fact> = Fact extends ReasonFact ? Omit<Fact, 'code'> : never;
type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Parameters = UnionToIntersection<ParametersOf<ReasonFact>>;

interface Writer<Value> {
  readonly write: (value: Value) => string;
  /** Everything that `write` returns, with `{}` for a code span and `#` for a number. */
  readonly shapes: readonly string[];
}

const MAX_WORDS = 3;

const WRITERS: { readonly [Name in keyof Parameters]: Writer<Parameters[Name]> } = {
  line: { write: String, shapes: ['#'] },
  path: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  from: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  to: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  quote: { write: (line) => codeSpan(line.trim(), 160), shapes: ['{}'] },
  place: { write: ({ path, line }) => codeSpan(`${path}:${line}`, 200), shapes: ['{}'] },
  by: { write: (sha) => (sha === null ? '' : ` in ${codeSpan(sha.slice(0, 7))}`), shapes: ['', ' in {}'] },
  sha: { write: (sha) => codeSpan(sha.slice(0, 7)), shapes: ['{}'] },
  role: { write: (role) => ROLES[role], shapes: Object.values(ROLES) },
  distance: { write: (lines) => counted(lines, 'line'), shapes: ['# line', '# lines'] },
  commits: {
    write: (commits) =>
      commits === 1 ? 'the only commit' : `one of ${commits === null ? 'the' : `the ${commits}`} commits`,
    shapes: ['the only commit', 'one of the commits', 'one of the # commits'],
  },
  release: { write: (release) => codeSpan(release, 100), shapes: ['{}'] },
  days: { write: ageOf, shapes: ['less than an hour', '# hour', '# hours', '# day', '# days'] },
  words: {
    write: (words) =>
      words
        .slice(0, MAX_WORDS)
        .map((word) => codeSpan(word, 60))
        .join(', '),
    shapes: ['{}', '{}, {}', '{}, {}, {}'],
  },
};

/** The reason with its text. */
export function reason(fact: ReasonFact): Reason {
  const text = WORDING[fact.code].replace(/\{(\w+)\}/g, (_, name: keyof Parameters) => {
    const { write } = WRITERS[name] as Writer<unknown>;
    return write((fact as unknown as Parameters)[name]);
  });
  return { ...fact, text };
}

/** Every text that a reason can have, with `{}` for a code span and `#` for a number. */
export function reasonShapes(): readonly string[] {
  return Object.values(WORDING).flatMap((wording) =>
    wording.split(/(\{\w+\})/).reduce<readonly string[]>(
      (texts, part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1] as keyof Parameters | undefined;
        const shapes = name === undefined ? [part] : WRITERS[name].shapes;
        return texts.flatMap((text) => shapes.map((shape) => text + shape));
      },
      [''],
    ),
  );
}

/** In whole units, rounded down. */
export function ageOf(days: number): string {
  if (days >= 1) return counted(Math.floor(days), 'day');
  return days * 24 >= 1 ? counted(Math.floor(days * 24), 'hour') : 'less than an hour';
}

function counted(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`;
}

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

/** A draft shows four reasons: the strongest three of the ranking, then this one. */
export const PLACE = 3;

/** Says which suspects came with the release that crashed first. Their order and probabilities stay. */
export function withReleases(
  suspects: readonly Suspect[],
  { releaseWindow }: { readonly releaseWindow?: ReleaseWindow | undefined },
): readonly Suspect[] {
  const { commits = null, version, more_commits } = releaseWindow ?? {};
  if (commits === null || version === undefined) return suspects;
  const brought = new Set(commits);
  const why = reason({
    code: 'in_release',
    release: version,
    commits: more_commits === true ? null : commits.length,
  });
  return suspects.map((suspect) =>
    brought.has(suspect.sha) ? { ...suspect, reasons: suspect.reasons.toSpliced(PLACE, 0, why) } : suspect,
  );
}
