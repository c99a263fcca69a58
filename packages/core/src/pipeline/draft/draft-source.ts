import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Event } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Explanation } from '../../domain/explanation.js';
import type { Revision } from '../../domain/run.js';
import type { NoSuspect, Suspect } from '../../domain/suspect.js';
import type { Tree } from '../../ports/code-host.js';
import type { ThrownException } from '../locate/crash-exception.js';
import type { TextScrubber } from '../scrub-text.js';

/** Everything a draft is written from. */
export interface DraftSource {
  readonly incident: EvidenceBundle['incident'];
  readonly event: Event;
  readonly thrown: ThrownException | null;
  readonly located: readonly LocatedFrame[];
  /** Of the code host; `null` where there is no page to link to. */
  readonly links: Tree['links'];
  readonly revision: Revision | null;
  /** Lines of the crashed file around the crash, at the crashed commit; `null` if they are not to be had. */
  readonly excerpt: Excerpt | null;
  readonly suspects: readonly Suspect[];
  readonly no_suspect: NoSuspect | null;
  readonly explanation: Explanation;
  /** The issue of the run that this one is a regression of. */
  readonly earlierIssue?: { readonly number: number; readonly url: string } | null;
}

/** What the sections are written from. */
export interface DraftText extends DraftSource {
  readonly outgoing: TextScrubber;
}

export interface Excerpt {
  readonly path: string;
  /** Number of the first line. */
  readonly from: number;
  readonly crashed: number;
  readonly lines: readonly string[];
}

/** A part of the body. What has the highest `expendable` is left out first when the body is too long; 0 stays. */
export interface Section {
  readonly name: string;
  readonly expendable: number;
  readonly text: string;
}
