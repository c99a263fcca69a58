/** Ends the name of a reviewer who signed in at a provider: 8 hex digits derived from the provider's subject. */
const SUBJECT_TAG = / \(([0-9a-f]{8})\)$/;

/** The name of a reviewer who signed in at a provider: `Mara Okafor (7f3a9c1e)`. `tag`: 8 hex digits. */
export function nameWithSubject(name: string, tag: string): string {
  return `${name} (${tag})`;
}

/** A reviewer's name without its subject, and that as it ends the name; `''` for a name without one. */
export function partsOfName(name: string): { readonly plain: string; readonly tag: string } {
  const [tag = ''] = SUBJECT_TAG.exec(name) ?? [];
  return { plain: name.slice(0, name.length - tag.length), tag };
}

/**
 * Whether two names of reviewers may be one person's. Two names with a subject are, if the subject is the same, whatever the provider
 * calls the person now. If only one has a subject, as with a token and a sign-in, equal names count as one person.
 */
export function samePerson(one: string, other: string): boolean {
  const tags = [one, other].map((name) => SUBJECT_TAG.exec(name)?.[1]);
  if (tags[0] !== undefined && tags[1] !== undefined) return tags[0] === tags[1];
  return plain(one) === plain(other);
}

function plain(name: string): string {
  return name.replace(SUBJECT_TAG, '').normalize('NFKC').trim().toLowerCase();
}
