import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Event } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import type { EvidenceItem } from '../../domain/explanation.js';
import type { Suspect } from '../../domain/suspect.js';
import { clip, visible } from '../draft/visible.js';
import type { ThrownException } from '../locate/crash-exception.js';
import { isDeniedPath } from '../locate/denied-path.js';
import type { Outgoing } from '../sanitise-outgoing.js';

export interface ItemSources {
  readonly incident: EvidenceBundle['incident'];
  readonly event: Event;
  readonly thrown: ThrownException | null;
  readonly located: readonly LocatedFrame[];
  /** The line of a file at the crashed revision. */
  readonly lineOf: (path: string, line: number) => string | null;
  readonly suspects: readonly Suspect[];
  readonly messages: ReadonlyMap<string, string>;
  readonly outgoing: Outgoing;
}

const MOST_FRAMES = 8;
const MOST_EXCEPTIONS = 5;
const ITEM_CHARS = 2_000;

/**
 * Everything an explanation may cite. Source lines come from the repository alone. What cannot be seen is written out, so
 * that a model reads what a person would.
 */
export function evidenceItems(sources: ItemSources): readonly EvidenceItem[] {
  const items = [runItem(sources), ...exceptionItems(sources.event), ...frameItems(sources)];
  for (const suspect of sources.suspects) items.push(...suspectItems(suspect, sources.messages));
  return items.map((item) => ({ ...item, text: clip(visible(sources.outgoing(item.text)), ITEM_CHARS) }));
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

function exceptionItems({ exceptions, message }: Event): readonly EvidenceItem[] {
  if (exceptions.length === 0) {
    return message === null ? [] : [{ id: 'exception:0', label: 'Message', text: message }];
  }
  const from = Math.max(0, exceptions.length - MOST_EXCEPTIONS);
  return exceptions.slice(from).map(({ type, value }, index) => ({
    id: `exception:${from + index}`,
    label: 'Exception',
    text: [type, value].filter((part) => part !== null && part !== '').join(': '),
  }));
}

function frameItems({ thrown, located, lineOf }: ItemSources): readonly EvidenceItem[] {
  const frames = thrown?.exception.frames ?? [];
  return located.slice(0, MOST_FRAMES).map(({ frame, path, line }) => {
    const source = isDeniedPath(path) ? null : lineOf(path, line);
    const place = `${path}:${line}`;
    const name = frames[frame]?.function ?? null;
    const text = [name === null ? place : `${place} in ${name}`, ...(source === null ? [] : [source.trim()])];
    return { id: `frame:${frame}`, label: 'Frame', text: text.join('\n') };
  });
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
