import { setTimeout as pause } from 'node:timers/promises';
import { storage } from '@culprit/connectors/storage';
import { type Connector, CulpritError, createEngine, type Engine, silentLogger } from '@culprit/core';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import type { Reviewer } from '@culprit/core/internal/domain/history';
import { type Journal, journalOf } from '@culprit/core/internal/gates/investigation-journal';
import type { Investigator } from '@culprit/core/internal/ports/investigator';
import { composeExplainers } from '../compose/explainers.js';
import { type Config, enginePolicy, sanitiserOptions } from '../config/config.js';
import type { InvestigatedCase } from './investigated-case.js';
import type { CaseResult } from './run-case.js';

const REVIEWER: Reviewer = { name: 'backtest', via: 'engine' };
const LOOK_MS = 200;

interface Requested {
  readonly config: Config;
  /** Of the code host. */
  readonly connectors: readonly Connector[];
  readonly repository: string;
  readonly diffBudget: number;
  readonly cases: readonly CaseResult[];
  /** Cost of earlier investigations of today: the limit of a day holds for all of them. */
  readonly spent: number;
}

type Outcome = Omit<InvestigatedCase, 'repository' | 'model' | 'prompt' | 'at' | 'fix' | 'committed_at'>;

/** What investigates the crashes of fixes. */
export interface Investigating {
  readonly model: string;
  readonly prompt: string;
  /** Rejects with `no_investigator` once it is known that the model cannot investigate. */
  ready(signal: AbortSignal): Promise<void>;
  investigate(delivery: Delivery, one: CaseResult, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * An engine in memory with the configured model. Each fix is a project, because crashes of the same lines would be one run. Rejects with
 * `no_investigator` without a model.
 */
export async function openInvestigating(requested: Requested): Promise<Investigating> {
  const { connectors, repository, diffBudget, cases, spent } = requested;
  // Every case is investigated, whatever core does by itself.
  const config: Config = { ...requested.config, investigate: 'ask' };
  const policy = enginePolicy(config);
  const { costPerDay } = policy.investigation;
  const found: { investigator: Investigator | null } = { investigator: null };
  const engine = await createEngine({
    connectors: [storage({ url: 'memory:', retention: null }), ...connectors, ...composeExplainers(config)],
    projects: Object.fromEntries(
      cases.map(({ fix }) => [fix.sha, { repository, mappings: config.codeMappings }]),
    ),
    policy: {
      ...policy,
      ...{ diffBudget, quotas: null },
      investigation: {
        ...policy.investigation,
        costPerDay: costPerDay && Math.max(0, costPerDay - spent),
      },
    },
    scrub: sanitiserOptions(config),
    logger: silentLogger,
    override: {
      // Explanations cost tokens, and change no suspect.
      explainers: () => [],
      investigator: (unchanged) => {
        found.investigator = unchanged;
        return unchanged;
      },
    },
  });
  const { investigator } = found;
  if (investigator === null) {
    await engine.close();
    throw unable('No model is configured. Set OLLAMA_MODEL, or OPENAI_MODEL and OPENAI_BASE_URL.');
  }
  const { model, promptVersion: prompt } = investigator;
  return {
    ...{ model, prompt, close: () => engine.close() },
    ready: (stop) => probed(investigator, stop),
    investigate: (...one) => investigateCase(engine, ...one),
  };
}

async function probed(investigator: Investigator, signal: AbortSignal): Promise<void> {
  const status = () => investigator.status?.();
  while (status()?.state === 'probing') await pause(LOOK_MS, undefined, { signal });
  const { state = 'usable', investigates = null, reason = null } = status() ?? {};
  if (state === 'unreachable' || state === 'unusable' || investigates === 'no')
    throw unable(`${investigator.model} cannot investigate${reason === null ? '' : `: ${reason}`}.`);
}

function unable(detail: string): CulpritError {
  return new CulpritError('no_investigator', detail);
}

async function investigateCase(
  engine: Engine,
  delivery: Delivery,
  { fix, culprits }: CaseResult,
  signal: AbortSignal,
): Promise<Outcome> {
  const { outcomes } = await engine.ingestBatch({ edge: fix.sha, deliveries: [delivery] });
  const runId = outcomes[0]?.run_id;
  if (runId == null) throw new CulpritError('internal', `The crash of ${fix.sha} was not recorded.`);
  await engine.approveGateOne(runId, REVIEWER);
  const before = await engine.run(runId);
  let run = await engine.startInvestigation(runId, REVIEWER, {});
  while (run.investigation?.state === 'running') {
    await pause(LOOK_MS, undefined, { signal });
    run = await engine.run(runId);
  }
  const { investigation } = run;
  if (investigation == null) throw new CulpritError('internal', `${fix.sha} was not investigated.`);
  const { reason, detail, finding, questions, tokens, cost, probability } = investigation;
  const placeIn = (suspects: readonly { readonly sha: string }[]) => {
    const at = suspects.findIndex(({ sha }) => culprits.includes(sha));
    return at < 0 ? null : at + 1;
  };
  const [first = ''] = finding?.commits ?? [];
  const rounds = (await journalOf(engine.values, run).get())?.rounds ?? [];
  return {
    ...{ reason, detail, questions, tokens, cost },
    ranking: placeIn(before.suspects),
    place: placeIn(run.suspects),
    // Only one that passed its checks has one.
    finding:
      finding === null || probability === null
        ? null
        : {
            stated: finding.probability,
            ranking: before.suspects.find(({ sha }) => sha === first)?.probability ?? 0,
            agreement: agreementOf(rounds),
            questions: rounds[0]?.asked ?? 0,
            right: culprits.includes(first),
          },
  };
}

/** `null`: there was no second round. One of the two may have abbreviated the commit. */
export function agreementOf(rounds: Journal['rounds']): boolean | null {
  if (rounds.length < 2) return null;
  const [one = '', other = ''] = rounds.map(({ finding }) => finding?.commits[0]?.toLowerCase() ?? '');
  return other !== '' && (one.startsWith(other) || other.startsWith(one));
}
