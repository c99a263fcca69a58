import * as v from 'valibot';
import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { CrashException, Event, Frame } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import { gapSchema } from '../../domain/history-gap.js';
import type { JsonValue } from '../../domain/json.js';
import { about, type Doc, named, text, texts } from '../../domain/schema.js';
import { noSuspectSchema } from '../../domain/suspect.js';
import type { Blame, Tree } from '../../ports/code-host.js';
import type { SourceMapOutcome } from '../../ports/source-maps.js';
import type { AnalysisConfig } from '../analysis.js';
import { permanentLink } from '../draft/safe-markdown.js';
import { excerptAround } from '../excerpt.js';
import { crashException, type ThrownException } from '../locate/crash-exception.js';
import { locateFrames } from '../locate/locate-frames.js';
import { mapOf, type OriginalPlace, originalFrame } from '../locate/source-maps.js';
import { indexTree, type TreeIndex } from '../locate/tree-index.js';
import { positionsOf } from '../rank/positions.js';
import type { TextScrubber } from '../scrub-text.js';
import { type MappedEvent, mapEvent, sourcePath } from '../source-maps/map-event.js';
import { mapSource } from '../source-maps/map-excerpt.js';
import { type MissingSourceMap, missingMaps, missingSourceMapSchema } from '../source-maps/missing-maps.js';
import { sourceMapCall } from './replay-parts.js';

/** Lines shown on either side of a frame's line. */
const AROUND = 4;

const lines = v.nullable(v.object({ from: v.number(), lines: texts }));
const placedFrameSchema = v.object({
  frame: about(v.number(), 'Index into its frames, oldest first.'),
  path: v.string(),
  line: about(v.number(), '1-based.'),
  how: about(
    v.picklist(['mapping', 'exact', 'suffix']),
    'How it was found: by a code mapping, as the reported path, or as the only path that ends like the reported one.',
  ),
  url: about(text, 'Links to that line at that commit; `null` if the code host has no page.'),
  verified: about(
    v.nullable(v.boolean()),
    'False if the reported source line differs; `null` if none was reported.',
  ),
  source: about(lines, 'Source lines around it; `null` if they cannot be read or must not be shown.'),
});
/** A frame's location in the repository at the crashed commit. */
export interface PlacedFrame extends Doc<typeof placedFrameSchema> {}

const placedExceptionSchema = v.object({ exception: v.number(), frames: v.array(placedFrameSchema) });

const originalSchema = v.object({
  exception: v.number(),
  frame: v.number(),
  file: v.string(),
  line: about(v.number(), '1-based.'),
  function: text,
  source: about(
    lines,
    'Lines around it; `null` if the map contains none, or is the repository’s, whose lines are at the located frame.',
  ),
});
/** The original of a built frame, from a source map: an uploaded one, or the repository's. */
export interface PlacedOriginal extends Doc<typeof originalSchema> {}

const outlookSchema = v.object({ no_suspect: v.nullable(noSuspectSchema), gaps: v.array(gapSchema) });
/** Why no suspect can be found, before anything is blamed. */
export interface Outlook extends Doc<typeof outlookSchema> {}

export const placedStackSchema = named(
  'PlacedStack',
  'The frames that an analysis located in the repository.',
  v.object({
    exception: about(
      v.nullable(v.number()),
      'Index of the exception whose frames these are; null without a stack.',
    ),
    frames: v.array(placedFrameSchema),
    others: about(
      v.optional(v.array(placedExceptionSchema)),
      'The other exceptions with located frames, by index.',
    ),
    originals: about(
      v.optional(v.array(originalSchema)),
      'The originals of built frames, from source maps: uploaded ones, and the repository’s.',
    ),
    missing_source_maps: about(
      v.optional(v.array(missingSourceMapSchema)),
      'The built files without a source map.',
    ),
    outlook: about(
      v.optional(outlookSchema),
      'Of a run at Gate 1: why no suspect can be found, and what the repository does not show. Absent: no obstacle is known.',
    ),
  }),
);
/**
 * The frames of a stack trace with the repository's source around each. In `others`, it is known only in files that the analysis
 * read.
 */
export interface PlacedStack extends Doc<typeof placedStackSchema> {}

/** An analysed crash and what the evidence says about its repository. */
export interface LocatedCrash {
  /** With the originals of source maps, of uploaded ones and of the repository's. */
  readonly event: Event;
  readonly maps: MappedEvent;
  /** `null` without a stack trace. */
  readonly thrown: ThrownException | null;
  /** `null` if the code host was not asked, or failed. */
  readonly tree: Tree | null;
  /** Lines of the files that the analysis read, by path. */
  readonly text: ReadonlyMap<string, readonly string[] | null>;
  readonly locate: (exception: CrashException) => readonly LocatedFrame[];
  /** As reported: with frames past the end of their file, and before lines are compared with the file. */
  readonly candidates: (exception: CrashException) => readonly LocatedFrame[];
}

/** Locates the frames of an analysed crash again, from its evidence. */
export function locatedCrash(bundle: EvidenceBundle): LocatedCrash {
  const { config } = bundle;
  const outcomes = (sourceMapCall(bundle)?.answer ?? []) as unknown as readonly SourceMapOutcome[];
  const { mappings, learned = [] } = config as unknown as AnalysisConfig;
  const tree = answerOf<Tree>(bundle, 'tree');
  const files = answerOf<Blame>(bundle, 'blame')?.files ?? [];
  const index = indexTree(tree?.paths ?? []);
  const maps = withCommittedMaps(mapEvent(bundle.event, outcomes), bundle, index);
  const { event } = maps;
  const candidates = ({ frames }: CrashException) =>
    tree === null ? [] : locateFrames(frames, event.platform, mappings, index, learned);
  return {
    event,
    maps,
    thrown: crashException(event),
    tree,
    text: new Map(files.map(({ path, lines }) => [path, lines])),
    candidates,
    locate(exception) {
      const found = candidates(exception);
      return files.length === 0 ? found : positionsOf(found, exception.frames, files, maps).located;
    },
  };
}

/** Lines around each frame that pages show; the fix brief shows most. */
const MAX_AROUND = 5;

/** Reads the lines that pages show beside the draft, so that they count as used. */
export function readShownLines(bundle: EvidenceBundle): void {
  const { event, locate, text } = locatedCrash(bundle);
  for (const { path, line } of event.exceptions.flatMap(locate))
    text.get(path)?.slice(Math.max(0, line - 1 - MAX_AROUND), line + MAX_AROUND);
}

/** The located frames with the source around each. Source lines come only from the project's repository. */
export function placeFrames(bundle: EvidenceBundle, scrub: TextScrubber): PlacedStack {
  const { event, maps, thrown, tree, text, locate } = locatedCrash(bundle);
  if (thrown === null) return { exception: null, frames: [] };
  const { frames } = thrown.exception;
  const mapped = {
    ...originalsOf(maps, scrub),
    ...missingOf(missingMaps(event, frames, locate(thrown.exception), maps.outcomeOf)),
  };
  if (tree === null) return { exception: thrown.index, frames: [], ...mapped };
  const placed = (exception: CrashException): PlacedFrame[] =>
    locate(exception).map(({ frame, path, line, how, verified }) => ({
      frame,
      path,
      line,
      how,
      url: permanentLink(tree.links.line, { sha: tree.revision.sha, path, line }),
      verified,
      source: excerptAround(text.get(path), line, AROUND, scrub),
    }));
  const others = event.exceptions
    .map((exception, at) => ({ exception: at, frames: at === thrown.index ? [] : placed(exception) }))
    .filter(({ frames }) => frames.length > 0);
  return {
    exception: thrown.index,
    frames: placed(thrown.exception),
    ...(others.length === 0 ? {} : { others }),
    ...mapped,
  };
}

function originalsOf({ event, mapped }: MappedEvent, scrub: TextScrubber): Pick<PlacedStack, 'originals'> {
  const originals = event.exceptions.flatMap(({ frames }, exception) =>
    frames.flatMap((one, frame): PlacedOriginal[] => {
      const { file, line, function: name } = one;
      if (!mapped.has(one) || file === null || line === null) return [];
      const source = mapSource(one, AROUND, scrub);
      return [{ exception, frame, file: sourcePath(file), line, function: name, source }];
    }),
  );
  return originals.length === 0 ? {} : { originals };
}

function missingOf(missing: readonly MissingSourceMap[]): Pick<PlacedStack, 'missing_source_maps'> {
  return missing.length === 0 ? {} : { missing_source_maps: missing };
}

/** The code host's first response to a method; `null` if it was not called or failed. */
function answerOf<T>({ calls }: EvidenceBundle, method: string): T | null {
  const call = calls.find(({ port, method: name }) => port === 'code_host' && name === method);
  const answer: JsonValue = call?.answer ?? null;
  return answer as T | null;
}

/** The event with what the source maps of the repository said in the analysis, beside the uploaded ones. */
function withCommittedMaps(
  maps: MappedEvent,
  { calls }: Pick<EvidenceBundle, 'calls'>,
  tree: TreeIndex,
): MappedEvent {
  const known = recorded(calls);
  if (known.size === 0) return maps;
  const mapped = new Set(maps.mapped);
  const original = (frame: Frame): Frame => {
    if (maps.mapped.has(frame)) return frame;
    const map = mapOf(frame, tree);
    const place = map === null ? undefined : known.get(keyOf(map, frame.line, frame.column));
    if (!place) return frame;
    const found = originalFrame(frame, place);
    mapped.add(found);
    return found;
  };
  const exceptions = maps.event.exceptions.map((one) => ({ ...one, frames: one.frames.map(original) }));
  return { ...maps, event: { ...maps.event, exceptions }, mapped };
}

/** The answers of the analysis: it recorded the places that it looked up, not the maps. */
function recorded(calls: EvidenceBundle['calls']): ReadonlyMap<string, OriginalPlace | null> {
  const known = new Map<string, OriginalPlace | null>();
  for (const { port, method, request, answer } of calls) {
    if (port !== 'code_host' || method !== 'originals' || answer === null) continue;
    const { map, places } = request as unknown as Request;
    const originals = answer as unknown as readonly (OriginalPlace | null)[];
    for (const [at, [line, column]] of places.entries())
      known.set(keyOf(map, line, column), originals[at] ?? null);
  }
  return known;
}

interface Request {
  readonly map: string;
  readonly places: readonly (readonly [line: number, column: number])[];
}

const keyOf = (map: string, line: number | null, column: number | null) => `${line}:${column} ${map}`;
