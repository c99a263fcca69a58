import type { Event } from '../../domain/event.js';
import type { SourceMapOutcome, SourceMaps } from '../../ports/source-maps.js';
import type { StepRunner } from '../analysis-steps.js';
import { type MappedEvent, mapEvent, mapQuery } from './map-event.js';

/** Source-mapped files listed in the step's detail. */
const MOST_LISTED = 25;

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
  return [...new Set(sources)].slice(0, MOST_LISTED);
}
