import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import { type BuiltCommit, buildRecipe, type Recipe } from '../replay/recipe.js';
import { alertOf, sendCrash, type TimedAnswer } from './doors.js';
import { openRepository } from './own-repository.js';
import { type ProgramRun, runProgram } from './run-program.js';
import { requireAccepted, type Scene } from './scenes.js';
import type { SdkAnswer } from './sentry-preload.js';
import type { DemoServers } from './servers.js';
import { printCrash, printDoor, type StoryPrinter } from './story.js';
import recipe from './webshop.json' with { type: 'json' };

const RELEASE = 'v2.4.0';
const ENVIRONMENT = 'production';
const PROGRAM = ['bin/checkout.js', 'orders/1043.json'];

/** The commit that introduced the bug. It is neither the latest commit nor the last change to the crashed line. */
export const CULPRIT_TITLE = 'Read vouchers from the campaign file';
export const FORMATTER_TITLE = 'Format everything with Biome';

const DAY_MS = 24 * 60 * 60_000;

/** The shop's history, moved by whole days so that its last commit is of the day before `now`, in UTC. */
export function webshopHistory(now: Date): Recipe {
  const dayOf = (time: number) => Math.floor(time / DAY_MS);
  const days = dayOf(now.getTime()) - 1 - dayOf(Date.parse(recipe.at(-1)?.at ?? ''));
  return (recipe as Recipe).map((commit) => ({
    ...commit,
    at: new Date(Date.parse(commit.at) + days * DAY_MS).toISOString(),
  }));
}

/** Creates the shop's repository. On one day, its SHAs are the same on every machine. */
export function buildWebshop(folder: string, now = new Date()): readonly BuiltCommit[] {
  return buildRecipe(webshopHistory(now), folder);
}

/** A small web shop whose checkout crashes, sent to all three doors. Created in `dataDirectory` unless it exists. */
export function webshopScene(dataDirectory: string): Scene {
  const folder = join(dataDirectory, 'webshop');
  if (!existsSync(join(folder, '.git'))) buildWebshop(folder);
  const { root, commits, authors } = openRepository(folder);
  return {
    root,
    introduce(story) {
      story.pair('webshop', `${commits} commits by ${authors} people, release ${RELEASE}`);
      story.pair('', story.style('dim', root));
      story.line('The bug is not in the latest commit, and not in the latest change to the crashed line:');
      story.line('a formatter, a rename and a later edit of the same function came after it.');
    },
    async crash(story, servers) {
      const sdk = sdkPreload(servers, join(realpathSync(dataDirectory), 'sdk-answer.json'));
      if (sdk === null)
        story.line(story.style('dim', '@sentry/node is not installed here, so the SDK door gets no crash.'));
      const first = await run(root, []);
      printCrash(story, `node ${PROGRAM.join(' ')}`, first.stderr, root);
      story.line();
      const native = await sendStack(servers, first);
      printDoor(story, 'native door', 'its stderr, unchanged', native);
      if (sdk !== null) printSdk(story, await run(root, ['--import', sdk.url]), sdk);
      const about = { root, release: RELEASE, environment: ENVIRONMENT };
      const alert = await sendCrash(servers, 'webhook', alertOf(first.stderr, about));
      printDoor(story, 'webhook', 'a signed alert with its frames', alert);
      return { sent: sdk === null ? 2 : 3, ids: [requireAccepted(native), requireAccepted(alert)] };
    },
  };
}

async function run(root: string, options: readonly string[]): Promise<ProgramRun> {
  const ended = await runProgram(process.execPath, [...options, ...PROGRAM], { cwd: root });
  if (ended.exitCode === 1 && ended.stderr.includes('TypeError')) return ended;
  throw new CulpritError(
    'internal',
    `The web shop did not crash as expected:\n${ended.failure ?? ended.stderr}`,
  );
}

function sendStack(servers: DemoServers, { stderr: stack }: ProgramRun): Promise<TimedAnswer> {
  const about = { level: 'fatal', platform: 'node', release: RELEASE, environment: ENVIRONMENT };
  return sendCrash(servers, 'native', { ...about, stack });
}

interface SdkPreload {
  readonly url: string;
  readonly version: string;
  /** The file that gets its answer. */
  readonly to: string;
}

/** `null` where the SDK is not installed: it is no dependency of the host. */
function sdkPreload(servers: DemoServers, to: string): SdkPreload | null {
  let entry: string;
  try {
    entry = import.meta.resolve('@sentry/node/package.json');
  } catch {
    return null;
  }
  const { version } = JSON.parse(readFileSync(new URL(entry), 'utf8')) as { version: string };
  const url = new URL('./sentry-preload.js', import.meta.url);
  const { host } = new URL(servers.edgeUrl);
  url.searchParams.set('dsn', `http://${servers.sdkKey}@${host}/1`);
  url.searchParams.set('release', RELEASE);
  url.searchParams.set('environment', ENVIRONMENT);
  url.searchParams.set('to', to);
  rmSync(to, { force: true });
  return { url: url.href, version, to };
}

function printSdk(story: StoryPrinter, ended: ProgramRun, { version, to }: SdkPreload): void {
  const seen = existsSync(to) ? (JSON.parse(readFileSync(to, 'utf8')) as SdkAnswer) : null;
  const answer = seen && { ...seen, event_id: null, detail: null };
  printDoor(story, 'SDK door', `@sentry/node ${version} in the program`, answer);
  if (/sentry/i.test(ended.stderr)) story.pair('', story.style('yellow', 'the SDK printed a message'));
}
