import type { LocatedFrame } from '../domain/code-mapping.js';
import type { Revision } from '../domain/run.js';
import { NO_SUSPECT, type NoSuspect, type Suspect } from '../domain/suspect.js';
import type { Unrated } from '../domain/verdict.js';
import type { Blame, Tree } from '../ports/code-host.js';
import type { AnalysisInput, StepRunner } from './analysis.js';
import { crashSite, none } from './crash-site.js';
import { firstCrashAt, happenedAt } from './crashed-tree.js';
import type { Excerpt } from './draft/draft-source.js';
import type { AnalysedCodeHost } from './evidence/recorder.js';
import { excerptAround } from './excerpt.js';
import { blameDetail } from './find-details.js';
import type { ThrownException } from './locate/crash-exception.js';
import { type LearnedMapping, learnFrom } from './locate/learned-mappings.js';
import { isNative } from './locate/locate-frames.js';
import { indexTree, type TreeIndex } from './locate/tree-index.js';
import { type HistoryReader, historyReader } from './rank/history-reader.js';
import { positionsOf } from './rank/positions.js';
import { type Ranked, rankSuspects } from './rank/rank-suspects.js';
import { withReleases } from './rank/reason-wording.js';
import type { RankedCandidate } from './rank/types.js';
import { type TextScrubber, textScrubber } from './scrub-text.js';
import type { MappedEvent } from './source-maps/map-event.js';

/** What the repository shows about the crash. */
export interface Findings {
  readonly revision: Revision | null;
  readonly links: Tree['links'];
  readonly located: readonly LocatedFrame[];
  /** Path mappings learned from the located frames. */
  readonly learned: readonly LearnedMapping[];
  readonly suspects: readonly Suspect[];
  readonly no_suspect: NoSuspect | null;
  readonly lineOf: (path: string, line: number) => string | null;
  readonly excerpt: Excerpt | null;
  readonly messages: ReadonlyMap<string, string>;
  /** The files at the revision. It knows which names were looked up. */
  readonly index: TreeIndex;
}

/** Further blames, for skipping formatting commits. */
const MORE_BLAMES = 4;
const NO_SUCH_LINE =
  'The lines in the stack trace are past the end of their files at the crashed revision, so the crash comes from other code. Send the release or the commit that crashed.';
/** Lines shown on either side of the crashed line. */
export const AROUND = 3;

export interface FindParts {
  /** `null` if the project has none. */
  readonly codeHost: AnalysedCodeHost | null;
  /** What the uploaded source maps said about the reported frames. Absent: there are none. */
  readonly maps?: Pick<MappedEvent, 'outcomeOf' | 'unreported'>;
  readonly signal: AbortSignal;
  readonly step: StepRunner;
  /** Marks paths whose diffs must not be truncated. */
  readonly keep: (paths: readonly string[]) => void;
  /** Receives the whole ranking, for benchmarks. */
  readonly onRanked?: (ranked: readonly RankedCandidate[]) => void;
}

/** Finds the suspects, or the reason why there are none. Rejects if the code host cannot be used at all. */
export async function findSuspects(
  input: AnalysisInput,
  thrown: ThrownException | null,
  parts: FindParts,
): Promise<Findings> {
  const { codeHost, step, signal } = parts;
  const { repository } = input.config;
  const scrub = textScrubber(input.config.scrub);
  if (codeHost === null || repository === null) return { ...NOTHING, no_suspect: none('no_code_host') };
  const { site, no_suspect, ...base } = await crashSite(input, thrown, { ...parts, codeHost, repository });
  if (site === null) return { ...NOTHING, ...base, no_suspect };
  const { tree, frames: mapped, candidates, paths, causesFrom, exception } = site;
  parts.keep(paths);
  const blame = await step(
    'blame',
    () => codeHost.blame(repository, tree.revision.sha, paths, signal),
    blameDetail,
  );
  const sureness = { ...parts.maps, causesFrom };
  const { located, positions } = positionsOf(candidates, mapped, blame.files, sureness);
  const learned = learnFrom(candidates, mapped);
  const seen = { ...NOTHING, ...base, ...linesOf(blame, located, scrub), located, learned };
  if (positions.length === 0) {
    if (located.length === 0 && blame.files.every(({ status }) => status === 'ok'))
      return { ...seen, no_suspect: none('no_mapped_frame', NO_SUCH_LINE) };
    const failed = blame.files.map(({ path, status, detail }) => `${path}: ${detail ?? status}`).join('; ');
    return { ...seen, no_suspect: none('blame_failed', failed) };
  }
  const reader = historyReader(codeHost, {
    repository,
    diffBudget: input.config.diffBudget,
    blameBudget: MORE_BLAMES,
    signal,
    onBlame: (path) => parts.keep([path]),
  });
  const native = isNative(input.event.platform, mapped);
  const { suspects, end } = await step(
    'rank',
    () =>
      rankSuspects({
        positions,
        blame,
        exception: { ...exception, frames: mapped },
        crashedAt: crashTime(input, tree),
        previousRelease: previousRelease(input, tree),
        native,
        unrated: unratedIn(base.revision),
        reader,
        scrub,
        onRanked: parts.onRanked,
      }),
    (found) => ({
      diffs: input.config.diffBudget - reader.diffsLeft(),
      suspects: found.suspects.map(({ sha, probability }) => ({ sha, probability })),
      ...(found.end === null ? {} : { history_ends: found.end.sha }),
      failures: reader.failures.slice(0, 10),
    }),
  );
  const messages = messagesOf(suspects, reader);
  if (end !== null) return { ...seen, no_suspect: endOf(end) };
  if (suspects.length === 0) return { ...seen, no_suspect: none('no_candidates') };
  return { ...seen, suspects: withReleases(suspects, input.config), messages };
}

/** The gaps with which no probability was measured. */
function unratedIn(revision: Revision | null): Unrated | null {
  const codes = revision?.gaps?.map(({ code }) => code) ?? [];
  const code = (['revision_missing', 'shallow'] as const).find((one) => codes.includes(one));
  return code === undefined ? null : { code };
}

const END_CODES = { shallow: 'history_ends', replaced: 'commit_replaced' } as const;

/** The commit at which the history ends: older ones could be the cause as well. */
function endOf({ sha, committed_at, why }: NonNullable<Ranked['end']>): NoSuspect {
  const code = END_CODES[why];
  const detail = `${NO_SUSPECT[code]} It is ${sha.slice(0, 12)} of ${committed_at.slice(0, 10)}.`;
  return { code, detail, end: { sha, committed_at: new Date(committed_at).toISOString() } };
}

const NOTHING: Findings = {
  revision: null,
  links: { commit: null, line: null },
  located: [],
  learned: [],
  suspects: [],
  no_suspect: null,
  lineOf: () => null,
  excerpt: null,
  messages: new Map(),
  index: indexTree([]),
};

/**
 * The time after which no commit can be the cause: when the incident's first crash happened. If the only crash reports a
 * commit that is newer than the crash, a clock is wrong, and the commit's own time is used.
 */
function crashTime({ incident, event }: AnalysisInput, { revision }: Tree): string {
  const first = Date.parse(firstCrashAt(incident));
  const known = revision.how !== 'head' && revision.how !== 'date';
  const single = first >= Date.parse(happenedAt({ event, incident }));
  const committed = Date.parse(revision.committed_at);
  return new Date(known && single && committed > first ? committed : first).toISOString();
}

/** Time of the release before the crashed one, if the incident was seen in no other release. */
function previousRelease({ incident, event }: AnalysisInput, { previous_release }: Tree): string | null {
  const only = incident.releases.length === 1 && incident.releases[0] === event.release;
  return only ? (previous_release?.committed_at ?? null) : null;
}

function linesOf(
  blame: Blame,
  located: readonly LocatedFrame[],
  scrub: TextScrubber,
): Pick<Findings, 'lineOf' | 'excerpt'> {
  const files = new Map(blame.files.map(({ path, lines }) => [path, lines]));
  const lineOf = (path: string, line: number) => files.get(path)?.[line - 1] ?? null;
  const crashed = located[0];
  const shown = crashed ? excerptAround(files.get(crashed.path), crashed.line, AROUND, scrub) : null;
  const excerpt = crashed && shown ? { path: crashed.path, crashed: crashed.line, ...shown } : null;
  return { lineOf, excerpt };
}

function messagesOf(suspects: readonly Suspect[], reader: HistoryReader): ReadonlyMap<string, string> {
  return new Map(
    suspects.map(({ sha }) => {
      const message = reader.known(sha)?.message ?? '';
      return [sha, message.slice(message.indexOf('\n') + 1 || message.length).trim()];
    }),
  );
}
