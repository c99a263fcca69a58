import { type EvidenceItem, type EvidenceLocation, EXCEPTION_LABELS } from '../../domain/explanation.js';
import type { Suspect } from '../../domain/suspect.js';
import type { DraftText } from '../draft/draft-source.js';
import { aboveRepository, lastFrames, placeOf, shortFunction } from '../draft/frame-place.js';
import { clip, visible } from '../draft/visible.js';
import { isGroup, type ThrownException } from '../locate/crash-exception.js';

export interface ItemSources
  extends Pick<DraftText, 'incident' | 'event' | 'thrown' | 'located' | 'excerpt' | 'suspects' | 'scrub'> {
  /** A line of a file at the crashed revision. */
  readonly lineOf: (path: string, line: number) => string | null;
  readonly messages: ReadonlyMap<string, string>;
}

const MAX_FRAMES = 8;
const MAX_EXCEPTIONS = 5;
const ITEM_CHARS = 2_000;

/**
 * Everything an explanation may cite. Source lines come only from the repository. Invisible characters are escaped, so a
 * model reads what a person sees.
 */
export function evidenceItems(sources: ItemSources): readonly EvidenceItem[] {
  const items = [
    runItem(sources),
    ...exceptionItems(sources),
    ...frameItems(sources),
    ...sourceItem(sources),
  ];
  for (const suspect of sources.suspects) items.push(...suspectItems(suspect, sources.messages));
  const clean = (text: string) => clip(visible(sources.scrub(text)), ITEM_CHARS);
  return items.map(({ location, ...item }) => ({
    ...item,
    text: clean(item.text),
    ...(location && {
      location: {
        ...location,
        place: clean(location.place),
        function: location.function === null ? null : clean(location.function),
      },
    }),
  }));
}

function runItem({ incident }: ItemSources): EvidenceItem {
  const times = incident.occurrences === 1 ? 'once' : `${incident.occurrences} times`;
  const text = [
    `seen ${times}, first ${incident.first_seen}, last ${incident.last_seen}`,
    ...incident.releases.map((release) => `release ${release}`),
    ...incident.environments.map((environment) => `environment ${environment}`),
    `platform ${incident.platform}`,
  ];
  return { id: 'run', label: 'The incident', text: text.join('\n') };
}

/** Each exception's type and message; for those that are not followed, a second line says where they were raised. */
function exceptionItems({ event, thrown, located }: ItemSources): readonly EvidenceItem[] {
  const { exceptions, message } = event;
  if (exceptions.length === 0) {
    return message === null ? [] : [{ id: 'exception:0', label: 'Message', text: message }];
  }
  const above = aboveRepository(thrown, located);
  const from = Math.max(0, Math.min(exceptions.length - MAX_EXCEPTIONS, thrown?.index ?? exceptions.length));
  return exceptions.slice(from, from + MAX_EXCEPTIONS).map((exception, offset) => {
    const index = from + offset;
    const { type, value } = exception;
    const text = [type, value].filter((part) => part !== null && part !== '').join(': ');
    const followed = index === (thrown?.index ?? exceptions.length - 1);
    const label = followed ? EXCEPTION_LABELS.followed : relation(index, thrown);
    if (followed) return { id: `exception:${index}`, label, text };
    const [last] = lastFrames(exception, 1);
    const line = clip(text.replace(/\s*[\r\n]\s*/g, ' '), ITEM_CHARS / 2);
    if (!last) return { id: `exception:${index}`, label, text: line };
    const location = locationOf(placeOf(last, above), last.line, last.function);
    return { id: `exception:${index}`, label, text: `${line}\n${locationText(location)}`, location };
  });
}

function relation(index: number, thrown: ThrownException | null): string {
  if (thrown === null || index > thrown.index) return EXCEPTION_LABELS.wrapper;
  return isGroup(thrown.exception) ? EXCEPTION_LABELS.member : EXCEPTION_LABELS.cause;
}

function locationOf(place: string, line: number | null, name: string | null): EvidenceLocation {
  return { place, line, function: name === null ? null : shortFunction(name) };
}

function locationText({ place, function: name }: EvidenceLocation): string {
  return name === null ? place : `${place} in ${name}`;
}

function frameItems({ thrown, located, lineOf }: ItemSources): readonly EvidenceItem[] {
  const frames = thrown?.exception.frames ?? [];
  return located.slice(0, MAX_FRAMES).map(({ frame, path, line }) => {
    const source = lineOf(path, line);
    const location = locationOf(`${path}:${line}`, line, frames[frame]?.function ?? null);
    const text = [locationText(location), ...(source === null ? [] : [source.trim()])];
    return { id: `frame:${frame}`, label: 'Frame', text: text.join('\n'), location };
  });
}

/** The lines around the crash with their numbers. */
function sourceItem({ excerpt }: ItemSources): readonly EvidenceItem[] {
  if (excerpt === null) return [];
  const lines = excerpt.lines.map((text, index) => `${excerpt.from + index}: ${text}`);
  return [{ id: 'source', label: 'Source around the crash', text: [excerpt.path, ...lines].join('\n') }];
}

function suspectItems(suspect: Suspect, messages: ReadonlyMap<string, string>): readonly EvidenceItem[] {
  const { sha, author, committed_at, title, hunk } = suspect;
  const commit: EvidenceItem = {
    id: `commit:${sha}`,
    label: 'Commit',
    text: `${title}\n${author.name}, ${committed_at}\n${clip(messages.get(sha) ?? '', 600)}`.trim(),
  };
  if (hunk === null) return [commit];
  const signs = { added: '+', removed: '-', context: ' ' } as const;
  const lines = hunk.lines.map(({ kind, text }) => `${signs[kind]}${text}`);
  const text = [hunk.path, hunk.header, ...lines].join('\n');
  return [commit, { id: `hunk:${sha}`, label: 'Diff', text }];
}
