import { editDistance } from '../edit-distance.js';

/** Qualifiers whose value is compared as a whole, by its beginning or, in quotes, exactly. */
export const VALUE_FIELDS = ['state', 'level', 'project', 'env', 'release', 'platform', 'tag'] as const;
/** Qualifiers that search the words of a text. */
const TEXT_FIELDS = ['title', 'type', 'message', 'function', 'file', 'sha', 'author'] as const;

/** A qualifier compared as a whole; one of `VALUE_FIELDS`. */
export type ValueField = (typeof VALUE_FIELDS)[number];
/** A qualifier that searches words; one of `TEXT_FIELDS`. */
export type TextField = (typeof TEXT_FIELDS)[number];
/** A word that can precede a colon in a search. */
export type Qualifier = ValueField | TextField;

/** All qualifiers of a search, with what each compares. */
export const QUALIFIERS: Readonly<Record<Qualifier, string>> = {
  level: 'Severity, such as level:fatal',
  state: 'State, such as state:staged_draft',
  project: 'Project',
  env: 'Environment, such as env:prod',
  release: 'Release or version, such as release:1.2',
  platform: 'Platform, such as platform:node',
  tag: 'Tag, such as tag:region=eu',
  title: 'Words of the title',
  type: 'Exception type, such as type:TypeError',
  message: 'Words of the message',
  function: 'Function in the stack',
  file: 'File in the stack, such as file:src/cart',
  sha: 'SHA of a suspect',
  author: 'Author of a suspect',
};

/** What people type for a qualifier, from other trackers and from the run's members. */
const OTHER_WORDS: Readonly<Record<string, Qualifier>> = {
  environment: 'env',
  environments: 'env',
  version: 'release',
  releases: 'release',
  fn: 'function',
  func: 'function',
  method: 'function',
  path: 'file',
  filename: 'file',
  exception: 'type',
  error: 'type',
  commit: 'sha',
  suspect: 'sha',
  msg: 'message',
  is: 'state',
  status: 'state',
  severity: 'level',
  tags: 'tag',
};

/** The qualifier of this name; `null` if it does not exist. */
export function qualifierOf(name: string): Qualifier | null {
  return Object.hasOwn(QUALIFIERS, name) ? (name as Qualifier) : null;
}

/** True for a qualifier whose value is compared as a whole. */
export function isValueField(field: Qualifier): field is ValueField {
  return (VALUE_FIELDS as readonly string[]).includes(field);
}

/** The qualifier that was probably meant; `null` if none is similar. */
export function similarQualifier(name: string): Qualifier | null {
  if (Object.hasOwn(OTHER_WORDS, name)) return OTHER_WORDS[name] ?? null;
  return closestOf(name, Object.keys(QUALIFIERS)) as Qualifier | null;
}

/** The known word within two edits, or one that starts with these three or more characters; `null` if there is none. */
export function closestOf(word: string, known: readonly string[]): string | null {
  if (word.length > 20) return null;
  const begun =
    word.length < 3 ? undefined : known.find((one) => one.startsWith(word) || word.startsWith(one));
  if (begun !== undefined) return begun;
  const near = known
    .map((one) => ({ one, edits: editDistance(word, one) }))
    .sort((a, b) => a.edits - b.edits);
  const [first] = near;
  return first !== undefined && first.edits <= 2 && first.edits < word.length ? first.one : null;
}
