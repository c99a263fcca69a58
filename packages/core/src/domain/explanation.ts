/** A statement with its evidence. Claims whose quotes are not found in the evidence are removed. */
export interface Claim {
  readonly text: string;
  readonly cites: readonly Citation[];
}
/** The evidence behind a claim, quoted verbatim. */
export interface Citation {
  /** Id of an evidence item: `exception:0`, `frame:3`, `commit:<sha>`, `hunk:<sha>`, `source`, `run`. */
  readonly evidence: string;
  /** Verbatim, at most 80 characters. */
  readonly quote: string;
}

/** The claims about one crash, by a template or by a model. */
export interface Explanation {
  readonly source: 'template' | 'model';
  /** The model's name; `null` for a template. */
  readonly model: string | null;
  readonly claims: readonly Claim[];
  /** True if the evidence does not support an explanation, which is a valid result. */
  readonly insufficient: boolean;
  /** Failures and limits of the explainers, for a person; `null` if there were none. */
  readonly note: string | null;
}

/** Where a frame is, or where an exception was raised. */
export interface EvidenceLocation {
  /** `src/cart.js:11`, or the file alone. */
  readonly place: string;
  /** 1-based. */
  readonly line: number | null;
  readonly function: string | null;
}

/** A piece of evidence that an explanation may cite. Its text and location are untrusted. */
export interface EvidenceItem {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** For frames, and for exceptions whose stack trace is known but not followed. */
  readonly location?: EvidenceLocation;
}

/** The relation of an exception to the one whose stack trace is followed; the `label` of its evidence. */
export const EXCEPTION_LABELS = {
  followed: 'Exception',
  cause: 'Cause',
  member: 'Member',
  wrapper: 'Wrapper',
} as const;
