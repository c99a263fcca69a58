/** Where a stored value holds people, so that one walk over all of them erases a person. */
export type HoldsPeople =
  /** Anywhere in its JSON. */
  | 'text'
  /** In its JSON, and as the release's version in its key. */
  | 'key'
  /** It is one person's, by its `name`, and goes with them. */
  | 'owner'
  /** Encrypted, so it goes with every erasure. */
  | 'sealed'
  /** In its run's draft: it is erased with the run. */
  | 'run'
  /** As whom an erasure looks for: the erasure sees to it. */
  | 'erasure'
  /** Nowhere: ids, hashes, counts and times. */
  | null;

interface Kind {
  readonly people: HoldsPeople;
  /** See `isSecretValue`. */
  readonly secret?: true;
}

/** Every kind of stored value, by its key or the part before the first colon. */
const STORED_VALUES = {
  connector: { people: 'text' },
  views: { people: 'text' },
  webhook: { people: 'text' },
  tokens: { people: 'text' },
  proposals: { people: 'text' },
  mappings: { people: 'text' },
  'issue-state': { people: 'text' },
  'edge-commands': { people: 'text' },
  release: { people: 'key' },
  'release-commits': { people: 'key' },
  releases: { people: 'text' },
  'release-counts': { people: 'text' },
  'edge-report': { people: 'text' },
  session: { people: 'owner', secret: true },
  answer: { people: 'sealed', secret: true },
  'notifications-failed': { people: 'text' },
  evidence: { people: 'run' },
  investigation: { people: 'text' },
  'investigation-bill': { people: null },
  'investigation-fit': { people: null },
  erasures: { people: 'erasure', secret: true },
  'webhook-secret': { people: null, secret: true },
  'install-key': { people: null, secret: true },
  'installed-at': { people: null },
  edges: { people: null },
  'ended-sessions': { people: null },
  'engine-alive': { people: null },
  'follow-ups': { people: null },
  sessions: { people: null },
  'sign-in-link': { people: null },
  'token-used': { people: null },
  told: { people: null },
  'told-comment': { people: null },
} as const satisfies Readonly<Record<string, Kind>>;

type ValueKind = keyof typeof STORED_VALUES;
/** The key of a value, with its kind. */
export type StoredKey = ValueKind | `${ValueKind}:${string}`;

/** The kinds whose values an erasure reads one by one; the others hold nobody, or are erased by other steps. */
export const ERASED_VALUES: readonly string[] = Object.entries(STORED_VALUES).flatMap(([kind, { people }]) =>
  people === null || people === 'run' || people === 'erasure' ? [] : [kind],
);

/** Where the value holds people. A kind that this version does not store counts as nowhere. */
export function holdsPeople(key: string): HoldsPeople {
  return kindOf(key)?.people ?? null;
}

/**
 * Sessions, kept answers, the secrets of webhooks, whom an erasure looks for and the key of the markers, which an export must not
 * contain, because more people can read it than the storage.
 */
export function isSecretValue(key: string): boolean {
  return kindOf(key)?.secret === true;
}

function kindOf(key: string): Kind | null {
  const [kind = ''] = key.split(':');
  return Object.hasOwn(STORED_VALUES, kind) ? STORED_VALUES[kind as ValueKind] : null;
}
