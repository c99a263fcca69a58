/** A name up to a version with at least two numbers: `v1.4.0`, `cart@2.0.0`, `release-3.1`. */
const VERSION = /^(|[A-Za-z0-9@._+/-]{0,150}[@._/-])v?\d+(?:\.\d+)+[A-Za-z0-9._+-]{0,60}$/;

/** Whose version a tag names: the text before it, empty for `v1.4.0`. `null`: it names no version. */
export function packageOf(tag: string): string | null {
  return VERSION.exec(tag)?.[1] ?? null;
}

/** What the tags of one kind begin with, the text before the first digit: `v` of `v1.4.1`, `cart@` of `cart@2.1.0`. */
export function familyOf(tag: string): string {
  return tag.replace(/\d.*$/s, '');
}

/**
 * The first of the tags, which are the earliest ones that contain a commit, that names a version. `null` if versions of several
 * packages contain it: then nobody knows which of them the crashed program belongs to.
 */
export function firstVersion(tags: readonly string[]): string | null {
  const versions = tags.filter((tag) => packageOf(tag) !== null);
  return new Set(versions.map(packageOf)).size === 1 ? (versions[0] ?? null) : null;
}

interface DatedTag {
  readonly name: string;
  /** ISO 8601 in UTC: when the tag was made; of a lightweight tag, its commit. */
  readonly created_at: string;
}

/** The order of git's `--sort=version:refname --sort=creatordate`. */
export function earliestFirst<Tag extends DatedTag>(tags: readonly Tag[]): readonly Tag[] {
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  return [...tags].sort((a, b) =>
    a.created_at === b.created_at ? byName(a.name, b.name) : a.created_at < b.created_at ? -1 : 1,
  );
}
