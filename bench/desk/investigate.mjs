import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { git } from '../../packages/connectors/dist/git/index.js';
import { storage } from '../../packages/connectors/dist/storage/index.js';
import { template } from '../../packages/connectors/dist/template/index.js';
import { createEngine } from '../../packages/core/dist/index.js';
import { investigationKey } from '../../packages/core/dist/pipeline/evidence-key.js';
import { DEFAULT_POLICY } from '../../packages/core/dist/policy.js';
import { semaphore } from '../../packages/core/dist/resilience/semaphore.js';
import { agreementOf } from '../../packages/host/dist/backtest/investigate.js';
import { inTurns, placeAmong, rankCase, readCases, repositoryOf, silent } from '../suspects/real-path.mjs';
import { createDesk } from './desk.mjs';
import { printInvestigations } from './figures.mjs';
import { deskModel } from './model.mjs';

const REVIEWER = { name: 'bench', via: 'engine' };
const AT_ONCE = 100;
/** Analyses at once: two cores. */
const ANALYSES = 2;
const LOOK_MS = 500;
const GIT_MS = 120_000;
const ANALYSIS_MS = 900_000;
/** The answers take as long as they take. A timer cannot wait much longer. */
const DESK_MS = 20 * 24 * 60 * 60_000;

/**
 * Investigates cases side by side through the whole engine, with the desk as the model. A finished case is a line of
 * `DIR/results.jsonl` and is not repeated; one that was interrupted gets the answers that it had.
 */
export async function benchInvestigations({ cases: file, repos, desk: dir, transcripts, ...flags }) {
  const cases = readCases(file).map((one, index) => ({ id: `c${index + 1}`, ...one }));
  const desk = createDesk(dir);
  const kept = join(dir, 'results.jsonl');
  const results = existsSync(kept)
    ? readFileSync(kept, 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse)
    : [];
  const done = new Set(results.map(({ id }) => id));
  const analysing = semaphore(ANALYSES);
  const left = cases.filter(({ id }) => !done.has(id));
  console.error(`${cases.length} cases, ${done.size} finished. Requests: ${join(dir, 'open.txt')}`);
  const atOnce = Number(flags['at-once'] ?? AT_ONCE);
  await inTurns(
    left,
    async (one) => {
      try {
        const result = await investigate(one, {
          desk,
          repository: repositoryOf(repos, one.repository),
          analysing,
        });
        appendFileSync(kept, `${JSON.stringify(result)}\n`);
        results.push(result);
        console.error(
          `${one.id}: ${result.state ?? 'not investigated'} ${result.reason ?? ''}, ${results.length} of ${cases.length}`,
        );
      } catch (error) {
        console.error(`${one.id} failed: ${error?.stack ?? error}`);
      }
    },
    atOnce,
  );
  const found = results
    .filter(({ id }) => cases.some((one) => one.id === id))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (transcripts !== undefined)
    writeFileSync(
      transcripts,
      gzipSync(found.map((one) => `${JSON.stringify(one)}\n`).join(''), { level: 9 }),
    );
  return printInvestigations(found);
}

async function investigate(one, { desk, repository, analysing }) {
  if (repository === null) throw new Error(`No clone of ${one.repository}.`);
  const { ranked, engine, runId, started, analysisMs } = await analysing(async () => {
    const ranked = await rankCase(one, repository);
    const engine = await engineFor(one.id, desk, repository);
    const started = performance.now();
    const { outcomes } = await engine.ingestBatch({ edge: 'bench', deliveries: [ranked.delivery] });
    const runId = outcomes[0].run_id;
    if (runId === null) throw new Error(`The crash is ${outcomes[0].outcome}.`);
    await engine.approveGateOne(runId, REVIEWER);
    return { ranked, engine, runId, started, analysisMs: performance.now() - started };
  });
  try {
    const before = await engine.run(runId);
    if (before.state !== 'staged_draft')
      throw new Error(`Gate 1 failed: ${JSON.stringify(before.last_error)}`);
    const ranking = before.suspects.map(shown);
    const run = await ended(engine, runId);
    const totalMs = performance.now() - started;
    const { asked } = await engine.investigation(runId);
    const investigation = run.investigation ?? null;
    const counted = desk.counted(one.id);
    const { rounds = [] } = JSON.parse((await engine.values.get(investigationKey(runId, run.cycle))) ?? '{}');
    const { id, revision, language, source, culprits } = one;
    return {
      ...{ id, repository: one.repository, revision, language, source, culprits, year: ranked.year },
      newest: finite(ranked.newest),
      ranking: {
        place: finite(
          placeAmong(
            ranking.map(({ sha }) => sha),
            culprits,
          ),
        ),
        suspects: ranking,
      },
      place: finite(
        placeAmong(
          run.suspects.map(({ sha }) => sha),
          culprits,
        ),
      ),
      suspects: run.suspects.map(shown),
      ...investigationOf(investigation),
      agreement: agreementOf(rounds),
      rounds: rounds.map((round) => ({ asked: round.asked, first: round.finding?.commits[0] ?? null })),
      questions: asked.map(({ question, input, text, more, problem, ms }) => ({
        ...{ name: question, input, more, problem, ms },
        chars: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
      calls: counted.turns,
      tokens: { input: counted.input, output: counted.output, longest: counted.longest },
      ms: {
        analysis: Math.round(analysisMs),
        own: Math.round(totalMs - counted.ms),
        desk: Math.round(counted.ms),
      },
    };
  } finally {
    await engine.close();
  }
}

function engineFor(id, desk, repository) {
  const issues = { listsAtOnce: true, find: async () => null, create: refuse, read: async () => null };
  return createEngine({
    connectors: [
      storage({ url: 'memory:' }),
      git({ timeoutMs: GIT_MS }),
      deskModel(desk, id),
      template({}),
      { id: 'none', setup: () => ({ publisher: issues }) },
    ],
    projects: { default: { repository } },
    installKey: 'bench',
    policy: {
      analysisMs: ANALYSIS_MS,
      investigation: { ...DEFAULT_POLICY.investigation, ms: DESK_MS },
    },
    logger: silent,
    fetch: refuse,
  });
}

async function refuse() {
  throw new Error('The bench sends nothing out.');
}

/** The run once nobody investigates it any more. */
async function ended(engine, runId) {
  for (;;) {
    const run = await engine.run(runId);
    const isCertain = run.suspects[0]?.verdict === 'auto';
    if (!run.investigation && !isCertain && run.revision !== null)
      throw new Error('No investigation has started.');
    if (run.investigation?.state !== 'running') return run;
    await sleep(LOOK_MS);
  }
}

const shown = ({ sha, probability, verdict }) => ({ sha, probability, verdict });

/** JSON has no infinity. */
const finite = (place) => (Number.isFinite(place) ? place : null);

function investigationOf(investigation) {
  if (investigation === null) return { state: null };
  const { state, reason, detail, by, finding, checks, probability, measured } = investigation;
  return { state, reason, detail, model: by.name, finding, checks, probability, measured };
}
