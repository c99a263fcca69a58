import type { LocatedFrame } from '../domain/code-mapping.js';
import type { CrashException, Frame } from '../domain/event.js';
import { type GapFact, historyGap } from '../domain/history-gap.js';
import type { Revision } from '../domain/run.js';
import { NO_SUSPECT, type NoSuspect, type NoSuspectCode } from '../domain/suspect.js';
import type { Tree } from '../ports/code-host.js';
import type { AnalysisInput, StepRunner } from './analysis.js';
import { treeOf } from './crashed-tree.js';
import { isOwn } from './draft/frame-place.js';
import type { AnalysedCodeHost } from './evidence/recorder.js';
import { mappedDetail, treeDetail } from './find-details.js';
import { cleanPath } from './locate/clean-path.js';
import { type ThrownException, withCauses } from './locate/crash-exception.js';
import { locateFrames } from './locate/locate-frames.js';
import { withSourceMaps } from './locate/source-maps.js';
import { indexTree, type TreeIndex } from './locate/tree-index.js';
import type { MappedEvent } from './source-maps/map-event.js';
import { type MissingSourceMap, missingMaps, missingMapText } from './source-maps/missing-maps.js';

/** Files blamed per analysis, crash first. */
const MAX_FILES = 12;
const UNLISTED =
  'The code host does not list all files, and none that it lists matches the stack. Add a code mapping to the folder.';

/** The crashed code in the repository. */
export interface CrashSite {
  readonly tree: Tree;
  readonly exception: CrashException;
  /** Frames from here on belong to the causes. */
  readonly causesFrom: number;
  /** After source mapping. */
  readonly frames: readonly Frame[];
  readonly candidates: readonly LocatedFrame[];
  /** The files to blame, crash first. */
  readonly paths: readonly string[];
}

/** The site, or why nothing can be suspected. */
export interface Sited {
  readonly site: CrashSite | null;
  readonly no_suspect: NoSuspect | null;
  readonly revision: Revision | null;
  readonly links: Tree['links'];
  /** The files at the revision. It knows which names were looked up. */
  readonly index: TreeIndex;
}

export interface SiteParts {
  readonly codeHost: AnalysedCodeHost;
  readonly repository: string;
  readonly maps?: Pick<MappedEvent, 'outcomeOf'>;
  readonly signal: AbortSignal;
  readonly step: StepRunner;
}

export function none(code: NoSuspectCode, why: string | null = null): NoSuspect {
  return { code, detail: why ?? NO_SUSPECT[code] };
}

/** Where the crash is, by the revision and its list of files alone: before anything is blamed. */
export async function crashSite(
  input: AnalysisInput,
  thrown: ThrownException | null,
  parts: SiteParts,
): Promise<Sited> {
  const { codeHost, repository, step, signal } = parts;
  const followed = thrown === null ? null : withCauses(input.event, thrown);
  const frames = followed?.exception.frames ?? [];
  const tree = await step('tree', () => treeOf(codeHost, repository, input, frames, signal), treeDetail);
  if (typeof tree === 'string') return { ...NOWHERE, no_suspect: none(tree) };
  const index = indexTree(tree.paths);
  const known = { ...NOWHERE, revision: revisionOf(tree, input, frames), links: tree.links, index };
  if (followed === null) return { ...known, no_suspect: none('no_frames') };
  const { frames: mapped, candidates } = await locate(frames, tree, index, input, parts);
  const paths = distinctPaths(candidates).slice(0, MAX_FILES);
  if (paths.length === 0) return { ...known, no_suspect: unmapped(tree, input, frames, parts) };
  const { exception, causesFrom } = followed;
  return { ...known, site: { tree, exception, causesFrom, frames: mapped, candidates, paths } };
}

const NOWHERE: Sited = {
  site: null,
  no_suspect: null,
  revision: null,
  links: { commit: null, line: null },
  index: indexTree([]),
};

/** The revision, with what the repository does not show there. */
function revisionOf(tree: Tree, { event, config }: AnalysisInput, frames: readonly Frame[]): Revision {
  const { sha, how } = tree.revision;
  const named = event.commit ?? config.releaseCommit ?? null;
  const isGuess = how === 'date' || how === 'head' || (event.commit !== null && how !== 'explicit');
  const submodules = new Set(frames.flatMap((frame) => submoduleOf(frame, tree) ?? []));
  const facts: readonly GapFact[] = [
    ...(tree.gaps ?? []),
    ...(tree.truncated ? [{ code: 'files_not_listed' } as const] : []),
    ...(named !== null && isGuess ? [{ code: 'revision_missing', named } as const] : []),
    ...[...submodules].map((path) => ({ code: 'submodule', path }) as const),
  ];
  return facts.length === 0 ? { sha, how } : { sha, how, gaps: facts.map(historyGap) };
}

/** The submodule that a frame of the project's own is in. */
function submoduleOf(frame: Frame, { submodules = [] }: Tree): string | null {
  const reported = isOwn(frame) ? (frame.file ?? frame.abs_path) : null;
  const path = reported === null ? null : cleanPath(reported);
  return path === null ? null : (submodules.find((one) => `/${path}`.includes(`/${one}/`)) ?? null);
}

function unmapped(
  tree: Tree,
  { event }: AnalysisInput,
  frames: readonly Frame[],
  { maps }: SiteParts,
): NoSuspect {
  const [missing] = missingMaps(event, frames, [], maps?.outcomeOf ?? (() => null));
  if (missing !== undefined) return none('no_mapped_frame', noMap(missing));
  const inSubmodule = frames.some((frame) => submoduleOf(frame, tree) !== null);
  if (inSubmodule) return none('in_submodule');
  return none('no_mapped_frame', tree.truncated ? UNLISTED : null);
}

const noMap = (missing: MissingSourceMap) =>
  `There is ${missingMapText(missing)}. Upload it: ${missing.command}`;

/** The frames after source mapping, and the files that they map to. */
function locate(
  frames: readonly Frame[],
  { revision }: Tree,
  index: TreeIndex,
  { event, config }: AnalysisInput,
  { codeHost, repository, step, signal }: SiteParts,
): Promise<{ readonly frames: readonly Frame[]; readonly candidates: readonly LocatedFrame[] }> {
  const { originals } = codeHost;
  const work = async () => {
    const mapped =
      originals === undefined
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

function distinctPaths(located: readonly LocatedFrame[]): readonly string[] {
  return [...new Set(located.map(({ path }) => path))];
}
