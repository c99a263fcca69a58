/** Maps a path prefix in stack traces to a path prefix in the repository. */
export interface CodeMapping {
  readonly stack_root: string;
  readonly source_root: string;
}

/** A frame that maps to a line in the repository. */
export interface LocatedFrame {
  /** Index into the crash's frames, oldest first. */
  readonly frame: number;
  /** The path in the repository at the crashed revision. */
  readonly path: string;
  readonly line: number;
  readonly function: string | null;
  /** How the path was found: `mapping`, `exact`, `suffix`. */
  readonly how: 'mapping' | 'exact' | 'suffix';
  /** True if the reported source line was found at `line`, false if not, `null` if none was reported. */
  readonly verified: boolean | null;
}
