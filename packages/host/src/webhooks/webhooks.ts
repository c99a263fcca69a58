import { randomBytes } from 'node:crypto';
import { CulpritError, type Engine, type Logger } from '@culprit/core';
import { type EventType, TEST_EVENT } from '@culprit/core/internal/domain/webhook-events';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { type Closable, endlessTerm, type Term } from '@culprit/core/internal/runs/lease';
import { createDeliverer, RETRY_PAUSES_MS } from './deliverer.js';
import { deliveryStore } from './delivery-store.js';
import { type EventReader, readEvents } from './event-reader.js';
import { createPace } from './pace.js';
import { type Attempt, type MessageToSend, type SendParts, sendMessage } from './send-message.js';
import {
  changed,
  type Filtered,
  type Matcher,
  matcherOf,
  type Webhook,
  type WebhookSettings,
} from './subscription.js';
import { checkTarget } from './target.js';
import { type WebhookState, webhookStates } from './webhook-state.js';
import { forgetSecrets, type WebhookStore, webhookStore } from './webhook-store.js';

/** How often a process that delivers looks for what other processes changed. */
const LOOK_MS = 1_000;
/** How long read secrets are used, because one of them ends after a rotation. */
const SECRETS_MS = 60_000;

export interface WebhooksOptions {
  /** Hosts that may be private, and may be called by http; lower case. */
  readonly allowedHosts?: readonly string[];
  /** Delays between attempts. Default: about a day. */
  readonly pausesMs?: readonly number[];
  /** Resolves the names of receivers. Default: the system’s. */
  readonly resolve?: SendParts['resolve'];
}

export interface WebhooksParts extends WebhooksOptions {
  readonly engine: Engine;
  readonly boardUrl: string;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A webhook and how its deliveries went. */
export type WebhookEntry = Webhook & WebhookState;
type Secret = Awaited<ReturnType<WebhookStore['rotate']>>;

/** The webhooks of an installation. Methods reject with `not_found` for an unknown id. */
export interface Webhooks {
  list(): Promise<readonly WebhookEntry[]>;
  get(id: string): Promise<WebhookEntry>;
  /** The secret is not shown again. Rejects with `malformed` for an address that may not be called. */
  create(
    settings: WebhookSettings,
    by: string,
  ): Promise<{ readonly webhook: WebhookEntry; readonly secret: string }>;
  update(id: string, settings: WebhookSettings): Promise<WebhookEntry>;
  delete(id: string): Promise<void>;
  rotate(id: string): Promise<Secret>;
  /** One attempt, now. */
  test(id: string, by: string): Promise<Attempt>;
  /** Whether a webhook gets such an event of the run now. */
  wants(type: EventType, run: Filtered): Promise<boolean>;
  /** Sends dead deliveries again; `ids` absent: all. Returns how many. */
  resend(id: string, ids?: readonly string[]): Promise<number>;
  /** Delivers while this process leads. */
  deliver(term: Term): Promise<Delivering>;
  /** Ends what is tested. */
  close(): void;
}

/** Reads events and delivers messages, until it is closed or its term is lost. */
export interface Delivering extends Closable {
  /** Removes a person from all that waits to be sent, in memory and in the storage. */
  erase(person: string): Promise<void>;
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { engine, now } = parts;
  const { values } = engine;
  const allowed = new Set(parts.allowedHosts ?? []);
  const store = webhookStore(values, now);
  const states = webhookStates(values, now);
  const inbox = deliveryStore(values, endlessTerm());
  const stopping = new AbortController();
  const send = (message: MessageToSend, signal: AbortSignal) =>
    sendMessage(message, {
      allowed,
      now,
      signal,
      ...(parts.resolve === undefined ? {} : { resolve: parts.resolve }),
    });
  const nudges = new Set<() => void>();
  const nudge = () => {
    for (const one of nudges) one();
  };
  const withState = async (webhook: Webhook): Promise<WebhookEntry> => ({
    ...webhook,
    ...(await states.get(webhook.id)),
  });
  const get = async (id: string): Promise<Webhook> => {
    const found = (await store.list()).find((one) => one.id === id);
    if (found === undefined) throw new CulpritError('not_found', 'There is no webhook with this id.');
    return found;
  };
  return {
    list: async () => inBatches(await store.list(), 50, withState),
    get: async (id) => withState(await get(id)),
    async create(settings, by) {
      checkTarget(settings.url, allowed);
      const at = new Date(now()).toISOString();
      const id = `wh_${randomBytes(12).toString('base64url')}`;
      const made = { id, created_at: at, created_by: by, active_since: at, earlier: [], turned_off: null };
      const webhook = { ...settings, ...made };
      const { secret } = await store.rotate(id);
      try {
        await store.add(webhook);
      } catch (error) {
        await forgetSecrets(values, id).catch(() => {});
        throw error;
      }
      nudge();
      return { webhook: await withState(webhook), secret };
    },
    async update(id, settings) {
      checkTarget(settings.url, allowed);
      const at = new Date(now()).toISOString();
      const webhook = await store.change(id, (before) => changed(before, settings, at));
      nudge();
      return withState(webhook);
    },
    async delete(id) {
      await store.change(id, () => null);
      await states.forget(id);
      await forgetSecrets(values, id);
      nudge();
    },
    async rotate(id) {
      await get(id);
      const made = await store.rotate(id);
      nudge();
      return made;
    },
    async test(id, by) {
      const { url } = await get(id);
      const body = {
        type: TEST_EVENT,
        timestamp: new Date(now()).toISOString(),
        data: { webhook_id: id, by },
      };
      const message = {
        url,
        id: `test_${randomBytes(12).toString('base64url')}`,
        body: JSON.stringify(body),
      };
      return send({ ...message, secrets: await store.secrets(id) }, stopping.signal);
    },
    async wants(type, run) {
      const at = new Date(now()).toISOString();
      return matcherOf(await store.list()).wanting(type, run, at).length > 0;
    },
    async resend(id, ids) {
      await get(id);
      const chosen = ids === undefined ? undefined : new Set(ids);
      const { dead } = await states.get(id);
      const again = dead.filter((one) => chosen === undefined || chosen.has(one.id));
      if (again.length === 0) return 0;
      await inbox.ask(again.map(({ message }) => ({ message, webhook: id })));
      await states.take(id, new Set(again.map((one) => one.id)));
      nudge();
      return again.length;
    },
    deliver: (term) => startDelivering({ ...parts, store, states, send, nudges, term }),
    close: () => stopping.abort(),
  };
}

type DeliveringParts = WebhooksParts & {
  readonly store: WebhookStore;
  readonly states: ReturnType<typeof webhookStates>;
  readonly send: (message: MessageToSend, signal: AbortSignal) => Promise<Attempt>;
  /** Called after every change in this process. */
  readonly nudges: Set<() => void>;
  readonly term: Term;
};

async function startDelivering(parts: DeliveringParts): Promise<Delivering> {
  const { engine, store, states, send, logger, now, nudges, term } = parts;
  const deliveries = deliveryStore(engine.values, term);
  const pace = createPace();
  let byId = new Map<string, Webhook>();
  let matcher: Matcher = matcherOf([]);
  let version: string | null = null;
  let afterChange = () => {};
  const secrets = new Map<string, { readonly all: readonly string[]; readonly until: number }>();
  const refresh = async () => {
    const current = await store.version();
    if (current === version) return;
    const all = await store.list();
    byId = new Map(all.map((webhook) => [webhook.id, webhook]));
    matcher = matcherOf(all);
    secrets.clear();
    version = current;
    afterChange();
  };
  await refresh();
  const deliverer = createDeliverer({
    store: deliveries,
    states,
    find: (id) => byId.get(id) ?? null,
    async secrets(id) {
      const known = secrets.get(id);
      if (known !== undefined && known.until > now()) return known.all;
      const all = await store.secrets(id);
      secrets.set(id, { all, until: now() + SECRETS_MS });
      return all;
    },
    async gone(id) {
      await store.change(id, (webhook) => ({ ...webhook, enabled: false, turned_off: 'gone' }));
      await refresh();
    },
    send,
    term,
    pace,
    pausesMs: parts.pausesMs ?? RETRY_PAUSES_MS,
    logger,
    now,
  });
  afterChange = deliverer.dropDeleted;
  let reader: EventReader | null = null;
  let looking: NodeJS.Timeout | null = null;
  let turn: Promise<void> = Promise.resolve();
  const look = () => {
    turn = turn
      .then(refresh)
      .then(async () => deliverer.add(await deliveries.takeInbox(now())))
      .catch((err) => {
        if (!term.lost.aborted) logger.warn({ err }, 'webhooks could not be read');
      });
  };
  const close = async () => {
    nudges.delete(look);
    if (looking !== null) clearInterval(looking);
    await reader?.close();
    await turn;
    await deliverer.close();
  };
  try {
    deliverer.add(await deliveries.load());
    nudges.add(look);
    look();
    if (engine.shared) looking = setInterval(look, LOOK_MS).unref();
    reader = await readEvents({
      engine,
      boardUrl: parts.boardUrl,
      async matcher() {
        await refresh();
        return matcher;
      },
      deliver: async (messages) => deliverer.add(await deliveries.create(messages)),
      crowded: deliverer.crowded,
      pace,
      logger,
      now,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    erase(person) {
      const erased = turn.then(async () => {
        await reader?.settled();
        await deliverer.written();
        await deliveries.erase(person);
      });
      turn = erased.catch(() => {});
      return erased;
    },
    close,
  };
}
