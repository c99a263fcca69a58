import type { Event, Frame } from '../../domain/event.js';
import type { OriginalFrame, SourceMapOutcome, SourceMapQuery, SourceMaps } from '../../ports/source-maps.js';
import type { StepRunner } from '../analysis.js';
import { cleanPath, isLibraryPath } from '../locate/clean-path.js';
import { builtFrameOf, keyOf, placesOf } from './built-frame.js';

/** What the uploaded source maps say about an event. */
export interface MappedEvent {
  /** With the originals in place of the built frames. */
  readonly event: Event;
  /** The frames that are originals. */
  readonly mapped: ReadonlySet<Frame>;
  /**
   * Those of them whose sender reports no source lines. The map's line finds the place, but makes it no surer than a frame that was
   * reported plainly: the same crash has the same suspects, built or not.
   */
  readonly unreported: ReadonlySet<Frame>;
  /** The outcome of a frame; `null` if no source map was asked for it. */
  readonly outcomeOf: (built: Frame) => SourceMapOutcome | null;
}

export function mapQuery(event: Event): SourceMapQuery {
  const { project, release, dist } = event;
  return { project, release, dist, frames: placesOf(event) };
}

/** `outcomes`: the answer to {@link mapQuery} of the same event. */
export function mapEvent(event: Event, outcomes: readonly SourceMapOutcome[]): MappedEvent {
  const known = new Map(placesOf(event).map((place, index) => [keyOf(place), outcomes[index] ?? null]));
  const outcomeOf = (frame: Frame) => {
    const place = known.size === 0 ? null : builtFrameOf(frame);
    return place === null ? null : (known.get(keyOf(place)) ?? null);
  };
  const mapped = new Set<Frame>();
  const unreported = new Set<Frame>();
  const reads = readsSources(event);
  if (!outcomes.some(({ status }) => status === 'mapped')) return { event, mapped, unreported, outcomeOf };
  const exceptions = event.exceptions.map((exception) => ({
    ...exception,
    frames: exception.frames.map((frame, index, frames) => {
      const original = originalOf(outcomeOf(frame));
      if (original === null) return frame;
      const found = originalFrame(frame, original, nameFrom(frames[index - 1], outcomeOf));
      mapped.add(found);
      if (frame.context_line === null && !reads) unreported.add(found);
      return found;
    }),
  }));
  return { event: { ...event, exceptions }, mapped, unreported, outcomeOf };
}

/**
 * Sentry's SDKs on Node read the files of the stack. They leave out the lines of built places (beyond column 1,000, in `.min.js`), but
 * would report those of the originals.
 */
function readsSources({ sdk, platform }: Event): boolean {
  return platform === 'node' && sdk?.name.startsWith('sentry.javascript.') === true;
}

function originalOf(outcome: SourceMapOutcome | null): OriginalFrame | null {
  return outcome?.status === 'mapped' ? outcome.original : null;
}

/** A map names what is called at a place, so a function's name is at the place of the frame that called it. */
function nameFrom(caller: Frame | undefined, outcomeOf: MappedEvent['outcomeOf']): string | null {
  const name = caller === undefined ? null : (originalOf(outcomeOf(caller))?.name ?? null);
  return name !== null && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : null;
}

/** The path of an original, as a repository would name it. */
export function sourcePath(source: string): string {
  return cleanPath(source) ?? source;
}

/** The reported source lines are the built file's, so they are replaced by the original's. */
function originalFrame(frame: Frame, { source, line, context }: OriginalFrame, name: string | null): Frame {
  const file = sourcePath(source);
  const at = context === null ? -1 : line - context.from;
  const lines = context?.lines ?? [];
  return {
    ...frame,
    file,
    abs_path: null,
    line,
    column: null,
    function: name ?? frame.function,
    in_app: isLibraryPath(source) ? false : frame.in_app,
    context_line: lines[at] ?? null,
    pre_context: at < 0 ? [] : lines.slice(0, at),
    post_context: at < 0 ? [] : lines.slice(at + 1),
  };
}

/** Source-mapped files listed in the step's detail. */
const MAX_LISTED = 25;

/**
 * The event with the originals of uploaded source maps. A failure of the maps leaves the frames as reported: the analysis
 * goes on.
 */
export async function readOriginals(
  event: Event,
  sourceMaps: SourceMaps | null | undefined,
  { step, signal }: { readonly step: StepRunner; readonly signal: AbortSignal },
): Promise<MappedEvent> {
  const query = mapQuery(event);
  if (!sourceMaps || query.frames.length === 0) return mapEvent(event, []);
  const outcomes = await step(
    'source_maps',
    async () => {
      try {
        return await sourceMaps.originals(query, signal);
      } catch {
        signal.throwIfAborted();
        return query.frames.map((): SourceMapOutcome => ({ status: 'unreadable' }));
      }
    },
    (found) => ({
      frames: query.frames.length,
      mapped: found.filter(({ status }) => status === 'mapped').length,
      sources: sourcesOf(found),
    }),
  );
  return mapEvent(event, outcomes);
}

function sourcesOf(outcomes: readonly SourceMapOutcome[]): readonly string[] {
  const sources = outcomes.flatMap((outcome) =>
    outcome.status === 'mapped' ? [`${outcome.original.source}:${outcome.original.line}`] : [],
  );
  return [...new Set(sources)].slice(0, MAX_LISTED);
}
