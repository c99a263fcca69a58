import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Event } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Explanation } from '../../domain/explanation.js';
import type { EarlierIssue } from '../../domain/fix.js';
import type { Investigated } from '../../domain/investigation.js';
import type { Ownership } from '../../domain/ownership.js';
import type { RunRelease } from '../../domain/release.js';
import type { Revision } from '../../domain/run.js';
import type { NoSuspect, Suspect } from '../../domain/suspect.js';
import type { Tree } from '../../ports/code-host.js';
import type { ThrownException } from '../locate/crash-exception.js';
import type { TextScrubber } from '../scrub-text.js';

/** The input of a draft. */
export interface DraftSource {
  readonly incident: EvidenceBundle['incident'];
  readonly event: Event;
  readonly thrown: ThrownException | null;
  readonly located: readonly LocatedFrame[];
  /** The code host's URL templates; `null` if it has no such page. */
  readonly links: Tree['links'];
  readonly revision: Revision | null;
  /** Lines around the crash at the crashed commit; `null` if they cannot be read or must not be shown. */
  readonly excerpt: Excerpt | null;
  readonly suspects: readonly Suspect[];
  readonly no_suspect: NoSuspect | null;
  /** Absent or `null`: nobody knows. */
  readonly ownership?: Ownership | null;
  readonly explanation: Explanation;
  /** The finding that the first suspect comes from. Absent or `null`: the ranking alone. */
  readonly investigated?: Investigated | null;
  /** The issue of the run that this one is a regression of. */
  readonly earlierIssue?: EarlierIssue | null;
  /** Absent or `null`: unknown. */
  readonly release_window?: RunRelease | null;
}

/** The input of a section. */
export interface DraftText extends DraftSource {
  readonly scrub: TextScrubber;
  /** The labels of the issue. */
  readonly labels: readonly string[];
}

export interface Excerpt {
  readonly path: string;
  /** Line number of the first line. */
  readonly from: number;
  readonly crashed: number;
  readonly lines: readonly string[];
  /** True if they are the uploaded source map's, not the repository's. */
  readonly from_map?: true;
}

/** A part of the body. If the body is too long, the section with the highest `expendable` is dropped first; 0 is never dropped. */
export interface Section {
  readonly name: string;
  readonly expendable: number;
  readonly text: string;
}
