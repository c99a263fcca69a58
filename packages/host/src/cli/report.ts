import { basename } from 'node:path';
import { type CrashObject, isCulpritError } from '@culprit/core';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import { ownEnvironment } from '../config/child-env.js';
import type { ClientConfig } from '../config/load-config.js';
import { print, printError } from '../log/terminal.js';
import { freshCrash, throughDoor } from '../replay/captured.js';
import { sendThroughDoor } from '../replay/send.js';
import { type CiRun, ciRunOf } from '../report/ci-run.js';
import { type FailedTest, readJunit } from '../report/junit.js';
import { crashOfFailure, lastStack } from '../report/test-failure.js';
import { CLIENT_FLAGS, clientConfig, EDGE_FLAGS } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { readReport } from './read-report.js';

/** Of one call. A build that breaks everything should not fill the inbox. */
const MAX_CRASHES = 50;

export const usage: CommandUsage = {
  forms: ['report FILE… [flags]'],
  flags: {
    commit: { value: 'SHA', meaning: 'the commit that was tested (default: from the CI job)' },
    release: { value: 'VERSION', meaning: 'the version that was tested' },
    environment: { value: 'NAME', meaning: 'default ci' },
    ...CLIENT_FLAGS,
    ...EDGE_FLAGS,
  },
  notes: [
    'FILE is a JUnit XML report, in which each failed test becomes a crash, or a log, in which the last stack becomes a crash; - reads standard input. Set CULPRIT_EDGE_URL and SERVICE_TOKENS in the job.',
    `At most ${MAX_CRASHES} crashes are sent. The same job that reports twice is counted once.`,
  ],
};

interface Found {
  /** Tells the crashes of one job apart. */
  readonly name: string;
  readonly crash: CrashObject;
}

/** Exit code 1 if the edge rejects a crash. A report without failures sends nothing, and is a success. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length === 0)
    throw usageError('Name a JUnit report or a log; - reads standard input.');
  const found: Found[] = [];
  for (const file of flags.positionals) found.push(...(await crashesOf(file)));
  const config = clientConfig(flags);
  const ci = ciRunOf(ownEnvironment());
  const answers = [];
  for (const one of found.slice(0, MAX_CRASHES)) answers.push(await sendOne(one, flags, ci, config));
  const left = found.length - answers.length;
  if (flags.has('json')) printJson({ sent: answers, left_out: left });
  else if (found.length === 0) print('No failed test and no stack was found; nothing was sent.\n');
  if (left > 0) printError(`culprit: ${left} more failures were left out.\n`);
  return answers.every(({ status }) => status < 300) ? EXIT.done : EXIT.failed;
}

async function sendOne({ name, crash }: Found, flags: ReadFlags, ci: CiRun, config: ClientConfig) {
  const commit = flags.text('commit') ?? ci.commit;
  const release = flags.text('release');
  const tags = { 'ci.branch': ci.branch, 'ci.job': ci.url };
  const whole = freshCrash({
    ...crash,
    ...(ci.id === null ? {} : { event_id: sha256Hex(`${ci.id}\n${name}`).slice(0, 32) }),
    ...(commit === null ? {} : { commit }),
    ...(release === null ? {} : { release }),
    environment: flags.text('environment') ?? 'ci',
    tags: Object.fromEntries(
      Object.entries({ ...crash.tags, ...tags }).filter(([, value]) => value !== null),
    ),
  } as Parameters<typeof freshCrash>[0]);
  const body = Buffer.from(JSON.stringify(whole));
  const request = throughDoor('native', body, { 'content-type': 'application/json' });
  const answer = await sendThroughDoor(config.edge.url, request, config.doorSecrets(null));
  if (!flags.has('json')) {
    const detail = answer.detail === null ? '' : `  ${clipped(answer.detail, 200)}`;
    print(`${answer.status}  ${clipped(name, 120)}${detail}\n`);
  }
  return { name, ...answer };
}

async function crashesOf(file: string): Promise<readonly Found[]> {
  const { kind, text } = await readReport(file);
  if (kind === 'log') {
    const stack = lastStack(text);
    return stack === null
      ? []
      : [{ name: file === '-' ? 'log' : basename(file), crash: { stack, logger: 'log' } }];
  }
  try {
    return readJunit(text).map(crashOfTest);
  } catch (error) {
    throw isCulpritError(error, 'malformed') ? usageError(`${file}: ${error.message}`) : error;
  }
}

function crashOfTest(test: FailedTest): Found {
  const name = test.suite === '' ? test.name : `${test.suite} › ${test.name}`;
  return {
    name,
    crash: {
      ...crashOfFailure(test),
      transaction: name,
      logger: 'junit',
      tags: { 'test.name': test.name, 'test.suite': test.suite === '' ? null : test.suite },
    },
  };
}
