import type { Frame } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import { mapOf, type OriginalPlace, originalFrame } from '../locate/source-maps.js';
import type { TreeIndex } from '../locate/tree-index.js';
import type { MappedEvent } from './map-event.js';

/** The event with what the source maps of the repository said in the analysis, beside the uploaded ones. */
export function withCommittedMaps(
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
