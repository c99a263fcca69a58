import type { LocatedFrame } from '../domain/code-mapping.js';
import type { Frame } from '../domain/event.js';
import type { Revision } from '../domain/run.js';
import { NO_SUSPECT, type NoSuspect, type NoSuspectCode, type Suspect } from '../domain/suspect.js';
import type { Blame, Tree } from '../ports/code-host.js';
import type { AnalysisInput } from './analysis.js';
import type { StepRunner } from './analysis-steps.js';
import { firstCrashAt, happenedAt, treeOf } from './crashed-tree.js';
import type { Excerpt } from './draft/draft-source.js';
import type { AnalysedCodeHost } from './evidence/record.js';
import { excerptAround } from './excerpt.js';
import { blameDetail, mappedDetail, treeDetail } from './find-details.js';
import { type ThrownException, withCauses } from './locate/crash-exception.js';
import { isDeniedPath } from './locate/denied-path.js';
import { type LearnedMapping, learnFrom } from './locate/learned-mappings.js';
import { isNative, locateFrames } from './locate/locate-frames.js';
import { withSourceMaps } from './locate/source-maps.js';
import { indexTree, type TreeIndex } from './locate/tree-index.js';
import { type HistoryReader, historyReader } from './rank/history-reader.js';
import { positionsOf } from './rank/positions.js';
import { rankSuspects } from './rank/rank-suspects.js';
import type { ReadingParts } from './rank/reading.js';
import { withReleases } from './rank/release-reason.js';
import type { RankedCandidate } from './rank/types.js';
import { type TextScrubber, textScrubber } from './scrub-text.js';
import type { MappedEvent } from './source-maps/map-event.js';
import { type MissingSourceMap, missingMaps, missingMapText } from './source-maps/missing-maps.js';

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

/** Files blamed per analysis, crash first. */
const MOST_FILES = 12;
/** Further blames, for skipping formatting commits. */
const MORE_BLAMES = 4;
const NO_SUCH_LINE =
  'The lines in the stack trace are past the end of their files at the crashed revision, so the crash comes from other code. Send the release or the commit that crashed.';
const UNLISTED =
  'The code host does not list all files, and none that it lists matches the stack. Add a code mapping to the folder.';
/** Lines shown on either side of the crashed line. */
export const AROUND = 3;

export interface FindParts {
  /** `null` if the project has none. */
  readonly codeHost: AnalysedCodeHost | null;
  /** What the uploaded source maps said about the reported frames. Absent: there are none. */
  readonly maps?: Pick<MappedEvent, 'outcomeOf' | 'unreported'>;
  readonly signal: AbortSignal;
  readonly step: StepRunner;
  /** The reader of the first suspects, and its time limit; absent if none is configured. */
  readonly reading?: (Pick<ReadingParts, 'read' | 'ms' | 'clock'> & { readonly runId: string }) | null;
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
  if (codeHost === null || repository === null) return noSuspect('no_code_host');
  const followed = thrown === null ? null : withCauses(input.event, thrown);
  const frames = followed?.exception.frames ?? [];
  const tree = await step('tree', () => treeOf(codeHost, repository, input, frames, signal), treeDetail);
  if (typeof tree === 'string') return noSuspect(tree);
  const { revision, links } = tree;
  const base = { revision: { sha: revision.sha, how: revision.how }, links };
  if (followed === null) return { ...noSuspect('no_frames'), ...base };

  const index = indexTree(tree.paths);
  const { frames: mapped, candidates } = await locate(frames, tree, index, input, parts);
  const paths = distinctPaths(candidates).slice(0, MOST_FILES);
  if (paths.length === 0) {
    const [missing] = missingMaps(input.event, frames, [], parts.maps?.outcomeOf ?? (() => null));
    const why = missing === undefined ? (tree.truncated ? UNLISTED : null) : noMap(missing);
    return { ...noSuspect('no_mapped_frame', why), ...base, index };
  }
  parts.keep(paths);
  const blame = await step(
    'blame',
    () => codeHost.blame(repository, revision.sha, paths, signal),
    blameDetail,
  );
  const sureness = { ...parts.maps, causesFrom: followed.causesFrom };
  const { located, positions } = positionsOf(candidates, mapped, blame.files, sureness);
  const learned = learnFrom(candidates, mapped);
  const seen = {
    ...base,
    ...linesOf(blame, located, scrub),
    located,
    learned,
    index,
  };
  if (positions.length === 0) {
    if (located.length === 0 && blame.files.every(({ status }) => status === 'ok'))
      return { ...noSuspect('no_mapped_frame', NO_SUCH_LINE), ...seen };
    const failed = blame.files.map(({ path, status, detail }) => `${path}: ${detail ?? status}`).join('; ');
    return { ...noSuspect('blame_failed', failed), ...seen };
  }
  const reader = historyReader(codeHost, {
    repository,
    diffBudget: input.config.diffBudget,
    blameBudget: MORE_BLAMES,
    signal,
    onBlame: (path) => parts.keep([path]),
  });
  const native = isNative(input.event.platform, mapped);
  const suspects = await step(
    'rank',
    () =>
      rankSuspects({
        positions,
        blame,
        exception: { ...followed.exception, frames: mapped },
        crashedAt: crashTime(input, tree),
        previousRelease: previousRelease(input, tree),
        native,
        reader,
        scrub,
        reading: parts.reading ? { ...parts.reading, signal, step } : null,
        onRanked: parts.onRanked,
      }),
    (found) => ({
      diffs: input.config.diffBudget - reader.diffsLeft(),
      suspects: found.map(({ sha, probability }) => ({ sha, probability })),
      failures: reader.failures.slice(0, 10),
    }),
  );
  const messages = messagesOf(suspects, reader);
  if (suspects.length === 0) return { ...noSuspect('no_candidates'), ...seen };
  return { ...seen, suspects: withReleases(suspects, input.config), no_suspect: null, messages };
}

const noMap = (missing: MissingSourceMap) =>
  `There is ${missingMapText(missing)}. Upload it: ${missing.command}`;

/** The frames after source mapping, and the files that they map to. */
function locate(
  frames: readonly Frame[],
  { revision }: Tree,
  index: TreeIndex,
  { event, config }: AnalysisInput,
  { codeHost, step, signal }: FindParts,
): Promise<{ readonly frames: readonly Frame[]; readonly candidates: readonly LocatedFrame[] }> {
  const originals = codeHost?.originals;
  const { repository } = config;
  const work = async () => {
    const mapped =
      originals === undefined || repository === null
        ? frames
        : await withSourceMaps(frames, index, async (map, places) => {
            try {
              return await originals(repository, revision.sha, map, places, signal);
            } catch {
              // Without its source map a frame stays as reported.
              signal.throwIfAborted();
              return [];
            }
          });
    const candidates = locateFrames(mapped, event.platform, config.mappings, index, config.learned ?? []);
    return { frames: mapped, candidates };
  };
  return step('locate', work, (found) => ({
    frames: frames.length,
    located: found.candidates.length,
    paths: distinctPaths(found.candidates),
    ...mappedDetail(frames, found.frames),
  }));
}

function noSuspect(code: NoSuspectCode, why: string | null = null): Findings {
  return {
    revision: null,
    links: { commit: null, line: null },
    located: [],
    learned: [],
    suspects: [],
    no_suspect: { code, detail: why ?? NO_SUSPECT[code] },
    lineOf: () => null,
    excerpt: null,
    messages: new Map(),
    index: indexTree([]),
  };
}

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

function distinctPaths(located: readonly LocatedFrame[]): readonly string[] {
  return [...new Set(located.map(({ path }) => path))];
}

function linesOf(
  blame: Blame,
  located: readonly LocatedFrame[],
  scrub: TextScrubber,
): Pick<Findings, 'lineOf' | 'excerpt'> {
  const files = new Map(blame.files.map(({ path, lines }) => [path, lines]));
  const lineOf = (path: string, line: number) => files.get(path)?.[line - 1] ?? null;
  const crashed = located[0];
  const lines = crashed && !isDeniedPath(crashed.path) ? files.get(crashed.path) : null;
  const shown = crashed ? excerptAround(lines, crashed.line, AROUND, scrub) : null;
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
