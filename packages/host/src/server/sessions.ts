import { createHash, randomBytes } from 'node:crypto';
import { type Access, FULL_ACCESS } from '@culprit/core/internal/domain/access';
import type { Values } from '@culprit/core/internal/ports/values';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { Reviewers } from './reviewers.js';
import { seal } from './sealed.js';
import type { SessionClient } from './session-client.js';

/** How exactly it is known when a session was last used. Longer than most requests of one page, so that they write nothing. */
const SEEN_MS = 5 * 60_000;

/** What a sign-in at a provider gave; the configuration decides at every request what it allows. */
export const providedSchema = v.object({
  /** Hash of issuer and subject. */
  subject: v.string(),
  /** Hash of the provider's session; `null` if it has none. */
  sid: v.nullable(v.string()),
  /** Values of the claims that the configuration names, for roles and for projects. */
  roles: v.array(v.string()),
  projects: v.array(v.string()),
});
export type Provided = v.InferOutput<typeof providedSchema>;

/** When the provider is asked again what a session's claims are; only if it gave a refresh token. */
const confirmationSchema = v.object({
  /** The refresh token, sealed with the session's id. */
  sealed: v.string(),
  /** When the provider last said what the claims are. Milliseconds since 1970, as the next. */
  confirmed_at: v.number(),
  /** When it is asked again. */
  next_at: v.number(),
  /** A core is asking, until `next_at` at the latest. */
  asking: v.boolean(),
});
type Confirmation = v.InferOutput<typeof confirmationSchema>;
/** How often the provider is asked about a session that is used. */
const CONFIRM_MS = 15 * 60_000;

/** Whether the claims of two sign-ins give the same. */
export function sameGifts(one: Provided, other: Provided): boolean {
  const giftsOf = ({ roles, projects }: Provided) =>
    JSON.stringify([[...roles].sort(), [...projects].sort()]);
  return giftsOf(one) === giftsOf(other);
}

/** A sign-in at a provider, as the configuration judges it again at every request. */
export interface Vouched {
  /** Of the provider's configuration. */
  readonly credential: string;
  readonly provided: Provided;
}

const storedSchema = v.object({
  name: v.string(),
  credential: v.string(),
  expires_at: v.number(),
  // Absent in sessions of older versions.
  opened_at: v.optional(v.number()),
  seen_at: v.optional(v.number()),
  program: v.optional(v.string()),
  network: v.optional(v.picklist(['loopback', 'private', 'public'])),
  provided: v.optional(providedSchema),
  confirmation: v.optional(confirmationSchema),
  /** The provider's ID token, sealed. */
  id_token: v.optional(v.string()),
});
type Stored = v.InferOutput<typeof storedSchema>;

export interface Session {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Storage key of the session: a hash, so that read access to the storage is not enough to sign in. */
  readonly key: string;
  /** Hash of who signed in: of the provider's subject, or of the token's name. */
  readonly person: string;
  /** `null`: a token of the configuration. */
  readonly vouched: Vouched | null;
  /** `null`: no provider vouched for it, or it gave no refresh token. */
  readonly confirmation: Confirmation | null;
  /** The provider's ID token, sealed with the session's id; `null`: there is none. */
  readonly idToken: string | null;
  readonly access: Access;
}

/** Who signs in, proven by a token or by a provider. */
interface SignedIn {
  readonly name: string;
  /** Of the token, or of the provider's configuration; the session ends when it is removed. */
  readonly credential: string;
  readonly provided?: Provided;
  /** Of the provider; `null` if it gave none. */
  readonly refreshToken?: string | null;
  readonly idToken?: string | null;
}

/** A session as it is listed. */
export interface SessionRow {
  readonly entry: ListedSession;
  readonly session: Session;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
  readonly client: SessionClient;
}

/** What the configuration of a provider allows; `null`: nothing any more. */
export type ProvidedAccess = (credential: string, provided: Provided) => Access | null;

export interface Sessions {
  /** `ended`: keys of the oldest sessions beyond the limits. */
  open(
    values: Values,
    who: SignedIn,
    client: SessionClient,
  ): Promise<{ readonly id: string; readonly session: Session; readonly ended: readonly string[] }>;
  /** `null` if the session is unknown or expired, or what it was opened with is no longer configured. */
  find(values: Values, id: string): Promise<Session | null>;
  /**
   * Changes when the provider is asked again; `decide` follows the rules of `Values.change`. Resolves with the session as it is then;
   * `null` if it has ended.
   */
  plan(
    values: Values,
    session: Session,
    decide: (before: Confirmation) => Confirmation | undefined,
  ): Promise<Session | null>;
  /** `person`: only theirs. Newest first. */
  list(values: Values, person: string | null): Promise<readonly SessionRow[]>;
  /** `key` is the storage key. Closing it again changes nothing. */
  close(values: Values, key: string): Promise<void>;
}

/** Sessions are stored in the engine's values, so they survive restarts and are shared like the storage. */
export function createSessions(
  reviewers: Reviewers,
  now: () => number,
  providedAccess: ProvidedAccess = () => null,
): Sessions {
  const accessOf = ({ credential, provided }: Stored): Access | null => {
    if (provided !== undefined) return providedAccess(credential, provided);
    return reviewers.holder(credential) === null ? null : FULL_ACCESS;
  };
  const read = (text: string | undefined, key: string): { stored: Stored; session: Session } | null => {
    const parsed = text === undefined ? null : v.safeParse(storedSchema, JSON.parse(text));
    if (!parsed?.success || parsed.output.expires_at <= now()) return null;
    const stored = parsed.output;
    const access = accessOf(stored);
    return access && { stored, session: sessionOf(stored, key, access) };
  };
  const seen = (values: Values, { key, expiresAt }: Session) =>
    values.change(
      key,
      (text) =>
        text === undefined ? undefined : JSON.stringify({ ...(JSON.parse(text) as object), seen_at: now() }),
      expiresAt - now(),
    );
  const close = async (values: Values, key: string) => {
    await values.delete(key);
    await sessionList(values, now()).remove((one) => one.key === key);
  };
  return {
    async open(values, { refreshToken = null, idToken = null, ...who }, { program, network }) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id);
      const at = now();
      const stored: Stored = {
        ...who,
        ...{ expires_at: at + SESSION_TTL_MS, opened_at: at, seen_at: at, program, network },
        ...(refreshToken === null ? {} : { confirmation: confirmed(refreshToken, id, at) }),
        ...(idToken === null ? {} : { id_token: seal(idToken, id) }),
      };
      const session = sessionOf(stored, key, accessOf(stored) ?? NOTHING);
      await values.set(key, JSON.stringify(stored), SESSION_TTL_MS);
      const { person, expiresAt } = session;
      const entry = { key, person, sid: who.provided?.sid ?? null, opened_at: at, expires_at: expiresAt };
      const ended = await listSession(values, entry, at);
      for (const old of ended) await values.delete(old);
      return { id, session, ended };
    },
    async find(values, id) {
      const key = keyOf(id);
      const found = read(await values.get(key), key);
      if (found === null) return null;
      // Not awaited: nothing depends on it.
      if (now() - (found.stored.seen_at ?? 0) > SEEN_MS) seen(values, found.session).catch(() => {});
      return found.session;
    },
    async plan(values, { key, expiresAt }, decide) {
      const change = (text: string | undefined) => {
        const before = read(text, key)?.stored.confirmation;
        const next = before && decide(before);
        return next && JSON.stringify({ ...(JSON.parse(text ?? '{}') as object), confirmation: next });
      };
      return read(await values.change(key, change, expiresAt - now()), key)?.session ?? null;
    },
    async list(values, person) {
      const all = await sessionList(values, now()).get();
      const own = all.filter((entry) => person === null || entry.person === person).reverse();
      const rows = await inBatches(own, BATCH, async (entry) => {
        const found = read(await values.get(entry.key), entry.key);
        return found === null ? [] : [rowOf(entry, found)];
      });
      return rows.flat();
    },
    close,
  };
}

const BATCH = 50;
const NOTHING: Access = [];

/** The provider has just said what the claims are. */
export function confirmed(refreshToken: string, id: string, at: number): Confirmation {
  const next_at = at + CONFIRM_MS;
  return { sealed: seal(refreshToken, id), confirmed_at: at, next_at, asking: false };
}

function sessionOf(stored: Stored, key: string, access: Access): Session {
  const { name, credential, expires_at, provided, confirmation = null, id_token: idToken = null } = stored;
  const person = provided?.subject ?? personNamed(name);
  const vouched = provided === undefined ? null : { credential, provided };
  return { name, expiresAt: expires_at, key, person, vouched, confirmation, idToken, access };
}

function rowOf(entry: ListedSession, { stored, session }: { stored: Stored; session: Session }): SessionRow {
  const { program = 'unknown', network = 'public', seen_at } = stored;
  return { entry, session, seenAt: seen_at ?? entry.opened_at, client: { program, network } };
}

/** `Session.person` of somebody with a token: everybody who uses this name. */
export function personNamed(name: string): string {
  return createHash('sha256').update(`culprit.name\n${name}`).digest('hex');
}

/** Names a session in lists; reveals neither its id nor its storage key. */
export function publicSessionId({ key }: Pick<Session, 'key'>): string {
  return `ses_${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
}

function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('hex')}`;
}

/** The longest life of a session. */
export const SESSION_TTL_MS = 12 * 60 * 60 * 1000;

/** Sessions of one person, and of everybody. Beyond them the oldest ends. */
const MAX_OF_PERSON = 20;
const MAX = 2_000;

/** Stored instead of names, so that erasing a person leaves none here. */
const entrySchema = v.object({
  /** Storage key of the session. */
  key: v.string(),
  /** Hash of who signed in. */
  person: v.string(),
  /** Hash of the provider's session; `null` without one. */
  sid: v.nullable(v.string()),
  /** Milliseconds since 1970, both. */
  opened_at: v.number(),
  expires_at: v.number(),
});
type ListedSession = v.InferOutput<typeof entrySchema>;

/** The open sessions, newest last. `now`: milliseconds since 1970. */
export function sessionList(values: Values, now: number): StoredList<ListedSession> {
  const current = ({ expires_at }: ListedSession) => expires_at > now;
  return storedList(values, 'sessions', {
    ...{ schema: entrySchema, newest: 'last', most: MAX, ttlMs: SESSION_TTL_MS, current },
  });
}

/** Adds a session. Resolves with the storage keys of the oldest ones beyond the limits, which are no longer listed. */
async function listSession(values: Values, entry: ListedSession, now: number): Promise<readonly string[]> {
  let left: readonly ListedSession[] = [];
  await sessionList(values, now).change((before) => {
    const all = [...before, entry];
    const own = all.filter(({ person }) => person === entry.person).slice(0, -MAX_OF_PERSON);
    const others = all.filter((one) => !own.includes(one));
    left = [...own, ...others.slice(0, -MAX)];
    return others;
  });
  return left.map(({ key }) => key);
}
