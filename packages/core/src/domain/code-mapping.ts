/** What a path in a stack starts with, and what it starts with in the repository. */
export interface CodeMapping {
  readonly stack_root: string;
  readonly source_root: string;
}

/** A frame that leads to a line of the repository. */
export interface LocatedFrame {
  /** Index into the crash's frames, oldest first. */
  readonly frame: number;
  /** The path in the repository at the crashed revision. */
  readonly path: string;
  readonly line: number;
  readonly function: string | null;
  /** How the path was found: `mapping`, `exact`, `suffix`. */
  readonly how: 'mapping' | 'exact' | 'suffix';
  /** True: the reported source line stands at `line`; false: it does not, or is found nowhere; null: not reported. */
  readonly verified: boolean | null;
}
