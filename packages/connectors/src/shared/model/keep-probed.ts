import { type ConnectorContext, timeLimit } from '@culprit/core/connector';
import type { ModelStatus } from '@culprit/core/internal/domain/model-status';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import { inWords, reasonOf } from './check.js';
import type { ModelAnswer, ModelClient } from './client.js';
import { KEPT, type Probed, probeModel, SHORTCOMINGS, type Shortcoming } from './probe.js';

/** Questions of a probe, each of which may take as long as an answer. */
const QUESTIONS = 3;
/** The same for those that find out how it investigates. */
const INVESTIGATING = 5;
/** A server that starts beside core loads its model for minutes. */
const AGAIN = { firstMs: 1_000, maxMs: 300_000 } as const;
/** Hosted services change their version often. */
const MIN_BETWEEN_MS = 60 * 60_000;

interface KeptProbe {
  /** Begins to probe in the background. */
  start(): void;
  /** The latest result; `null` before the first. */
  known(): Probed | null;
  /** What is known, without asking the server. */
  status(): ModelStatus;
  /** Takes notice of the version that the server lists. */
  listed(version: string | null): void;
  /** The same client, which notices answers of another version. */
  readonly client: ModelClient;
}

interface Parts extends Pick<ConnectorContext, 'logger' | 'signal'> {
  readonly name: string;
  readonly model: string;
  /** How the server lists the model. */
  readonly listedAs: string;
  readonly client: ModelClient;
  readonly timeoutMs: number;
  /** Whether to find out how it investigates. */
  readonly investigate: boolean;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** The time of day, ISO 8601. */
  readonly date: () => string;
}

/** Probes a model until its server answers, and again, at most once an hour, when another version of it answers. */
export function keepProbed(parts: Parts): KeptProbe {
  const { name, model, listedAs, client, timeoutMs, investigate, now, date, logger, signal } = parts;
  let isOn = false;
  let isBusy = false;
  let known: Probed | null = null;
  let at = 0;
  /** As the server listed it when it was probed. */
  let version: string | null = null;
  let failures = 0;
  /** When it was probed, and why it did not answer since. */
  let probedAt: string | null = null;
  let unreachable: string | null = null;
  const fields = { connector: name, model };
  const probe = async () => {
    if (isBusy || signal.aborted) return;
    isBusy = true;
    try {
      const investigateMs = investigate ? INVESTIGATING * timeoutMs : 0;
      const limit = timeLimit(QUESTIONS * timeoutMs + investigateMs, signal);
      // Not every server has a list; the questions find out whether this one answers.
      const models = await client.models(limit).catch(() => null);
      known = await probeModel(client, investigateMs, limit);
      version = models?.find((one) => one.name === listedAs)?.version ?? null;
      at = now();
      probedAt = date();
      unreachable = null;
      failures = 0;
      const { served, unusable, found, investigates } = known;
      const said = { ...fields, served: version ?? served, shortcomings: found, investigates };
      if (unusable !== null) logger.warn({ ...said, reason: unusable }, 'the model gives no usable answer');
      else if (found.length > 0) logger.warn(said, inWords(found).trim());
      else logger.info(said, 'the model respects its limits');
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      unreachable = reasonOf(error);
      const said = { ...fields, reason: unreachable };
      if (failures === 1)
        logger.warn(said, 'the model server does not answer; it is probed again until it does');
      const timer = setTimeout(() => void probe(), retryDelayMs(AGAIN, failures));
      timer.unref();
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    } finally {
      isBusy = false;
    }
  };
  const changed = () => {
    if (isOn && known !== null && now() - at >= MIN_BETWEEN_MS) void probe();
  };
  const noticed = <Answer extends ModelAnswer | null>(answer: Answer): Answer => {
    if (answer !== null && answer.served !== null && answer.served !== known?.served) changed();
    return answer;
  };
  return {
    start() {
      isOn = true;
      void probe();
    },
    known: () => known,
    status: () => statusOf({ name, model, version, isOn, known, probedAt, unreachable }),
    listed(now) {
      if (now !== version) changed();
    },
    client: {
      models: client.models,
      size: client.size,
      chat: async (...asked) => noticed(await client.chat(...asked)),
      converse: async (...asked) => noticed(await client.converse(...asked)),
    },
  };
}

interface Known {
  readonly name: string;
  readonly model: string;
  /** As the server lists it. */
  readonly version: string | null;
  /** Whether it is probed at all. */
  readonly isOn: boolean;
  readonly known: Probed | null;
  readonly probedAt: string | null;
  /** Why the server did not answer the latest probe. */
  readonly unreachable: string | null;
}

const UNKNOWN = 'the model server did not answer this question of the probe, or its answer proves nothing';

/** What the probes found, as the engine shows it. */
function statusOf(given: Known): ModelStatus {
  const { name, model, known, probedAt, unreachable } = given;
  const version = given.version ?? known?.served ?? null;
  return {
    explainer: name,
    model,
    version: version === model ? null : version,
    state: stateOf(given),
    reason: unreachable ?? known?.unusable ?? null,
    investigates: known?.investigates ?? null,
    probed_at: probedAt,
    limits: known === null ? [] : LIMITS.map((one) => limitOf(one, known)),
  };
}

const LIMITS = Object.keys(SHORTCOMINGS) as readonly Shortcoming[];

function stateOf({ isOn, known, unreachable }: Known): ModelStatus['state'] {
  if (unreachable !== null) return 'unreachable';
  if (known === null) return isOn ? 'probing' : 'not_probed';
  return known.unusable === null ? 'usable' : 'unusable';
}

function limitOf(name: Shortcoming, { found, unknown }: Probed): ModelStatus['limits'][number] {
  if (found.includes(name)) return { name, holds: false, detail: SHORTCOMINGS[name] };
  return unknown.includes(name)
    ? { name, holds: null, detail: UNKNOWN }
    : { name, holds: true, detail: KEPT[name] };
}
