import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Client, createClient } from '@culprit/client';
import { type OutboxIssue, readOutboxIssue } from '@culprit/connectors/git';
import { CulpritError, type Run } from '@culprit/core';
import { onStop } from '../cli/stop-signal.js';
import { jsonText, print, printError } from '../log/terminal.js';
import { passGates, statesOf, waitUntil } from './gates.js';
import { type DemoGithub, startGithub } from './github-double.js';
import type { Place } from './own-repository.js';
import { ownScene, type Scene, scenarioScene } from './scenes.js';
import { choosePort, type DemoServers, startServers } from './servers.js';
import { printIssue, type StoryPrinter, storyPrinter } from './story.js';
import { webshopScene } from './webshop.js';

export interface DemoOptions {
  readonly auto: boolean;
  readonly json: boolean;
  /** Use the GitHub double as code host and publisher. */
  readonly githubDouble: boolean;
  /** `null` for a new temporary directory. */
  readonly data: string | null;
  /** `null` for the default port, or a free one if that is in use. 0 for any free port. */
  readonly edgePort: number | null;
  readonly corePort: number | null;
  /** `null` for the web shop. */
  readonly repository: string | null;
  /** A scenario folder. */
  readonly scenario: string | null;
  readonly crash: Place | null;
  readonly command: readonly string[];
}

const ARRIVAL_MS = 20_000;

const ENDS = 'The addresses above answer only while the demo runs, and it ends here.';

/** Runs the demo. Returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const started = performance.now();
  const story = storyPrinter();
  const stop = new AbortController();
  const ignoreStop = onStop(() => stop.abort());
  const { path: dataDirectory, temporary } = makeDataDirectory(options.data);
  let servers: DemoServers | null = null;
  let github: DemoGithub | null = null;
  try {
    story.line();
    story.line(`${story.style('bold', 'Culprit')}: from a crash to a reviewed issue that names the change`);

    story.section('Repository');
    const scene = sceneFor(options, dataDirectory);
    scene.introduce(story);

    if (options.githubDouble) {
      story.section('GitHub test double');
      const name = options.repository === null ? 'webshop' : 'repository';
      github = await startGithub(dataDirectory, scene.root, name);
      story.pair('double', `${github.apiUrl}/${github.repository}`);
      story.line('It implements GitHub’s GraphQL schema and REST API with data from the repository.');
      story.line('The token only has Contents: read and Issues: write.');
    }
    story.section('Servers');
    servers = await start(options, dataDirectory, github ?? scene.root, story);
    const core = createClient({ url: servers.coreUrl, token: servers.reviewer.token });

    story.section(options.crash === null ? 'The program crashes' : 'A crash report');
    const { sent, ids } = await scene.crash(story, servers);
    const run = await Promise.race([arrived(core, ids, sent), servers.died]);
    printRun(story, run);

    const { signal } = stop;
    const passed = passGates({ story, core, servers, runId: run.run_id, auto: options.auto, signal });
    const published = await Promise.race([passed, servers.died]);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const file = await printPublished(story, dataDirectory, github, published);
    if (options.auto) {
      story.line(`${ENDS} ${file === null ? '' : 'The file stays.'}`.trimEnd());
      story.line(story.style('dim', `${seconds} s in total.`));
    }
    if (options.json) {
      const states = statesOf((await core.getHistory({ run_id: run.run_id })).entries);
      print(`${jsonText(summary(published, states, file, seconds))}\n`);
    }
    if (!options.auto) await keepServing(story, signal, servers);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    story.line();
    story.line('Stopped.');
    return 130;
  } finally {
    await servers?.stop();
    await github?.stop();
    ignoreStop();
    if (temporary)
      printError(`culprit: the demo’s files are in ${dataDirectory}; a later demo removes them.\n`);
  }
}

/** Prints the stored issue. Returns its file, or `null` if it is on the GitHub double. */
async function printPublished(
  story: StoryPrinter,
  dataDirectory: string,
  github: DemoGithub | null,
  run: Run,
): Promise<string | null> {
  if (github === null) {
    const { file, issue } = await findIssue(dataDirectory, run);
    printIssue(story, { name: 'file', at: file }, issue);
    return file;
  }
  const { issue_url = '', number = 0 } = run.publication ?? {};
  printIssue(story, { name: 'page', at: issue_url }, await github.issue(number));
  return null;
}

/** Finds the issue of a published run in the local outbox, and its Markdown file. */
async function findIssue(
  dataDirectory: string,
  run: Run,
): Promise<{ readonly file: string; readonly issue: OutboxIssue }> {
  const outbox = join(dataDirectory, 'outbox');
  const number = run.publication?.number ?? 0;
  const issue = await readOutboxIssue(outbox, number);
  const name = (await readdir(outbox)).find((file) => new RegExp(`^0*${number}-.*\\.md$`).test(file));
  if (issue === null || name === undefined) {
    throw new CulpritError('internal', `The outbox ${outbox} does not contain issue ${number}.`);
  }
  return { file: join(outbox, name), issue };
}

function sceneFor({ repository, scenario, crash, command }: DemoOptions, dataDirectory: string): Scene {
  if (scenario !== null) return scenarioScene(scenario, dataDirectory);
  return repository === null ? webshopScene(dataDirectory) : ownScene({ repository, crash, command });
}

function summary(run: Run, states: readonly string[], issueFile: string | null, seconds: number) {
  return {
    run_id: run.run_id,
    states,
    issue_url: run.publication?.issue_url ?? null,
    issue_file: issueFile,
    suspects: run.suspects.map(({ sha, verdict }) => ({ sha, verdict })),
    seconds,
  };
}

/** `code`: the path of a local repository, or the GitHub double. */
async function start(
  options: DemoOptions,
  dataDirectory: string,
  code: string | DemoGithub,
  story: StoryPrinter,
): Promise<DemoServers> {
  const edge = await choosePort(options.edgePort, 8001);
  const core = await choosePort(options.corePort, 8000);
  const servers = await startServers({
    dataDirectory,
    ...(typeof code === 'string' ? { repository: code } : { repository: code.repository, github: code }),
    edgePort: edge.port,
    corePort: core.port,
  });
  const moved = (usual: number) => story.style('yellow', `  (${usual} is in use)`);
  story.pair('edge', `${servers.edgeUrl}  ingests crashes${edge.moved ? moved(8001) : ''}`);
  story.pair('core', `${servers.coreUrl}  runs, gates, board${core.moved ? moved(8000) : ''}`);
  story.pair('http', servers.servedBy);
  return servers;
}

/** Waits for the run that counts all of the events. */
async function arrived(core: Client, ids: readonly (string | null)[], sent: number): Promise<Run> {
  const last = ids.at(-1);
  const find = async (): Promise<Run | null> => {
    for (const { run_id, occurrences, sources = [] } of (await core.listRuns({ limit: 5 })).runs) {
      if (occurrences >= sent && sources.some(({ event_id }) => event_id === last))
        return core.getRun({ run_id });
    }
    return null;
  };
  const run = await waitUntil(find, { everyMs: 50, forMs: ARRIVAL_MS });
  if (run !== null) return run;
  const seen = (await core.listRuns({ limit: 50 })).runs.map(
    (other) => `${other.run_id}: ${other.occurrences} × ${other.title}`,
  );
  throw new CulpritError(
    'internal',
    `No run has all ${sent} crashes after ${ARRIVAL_MS / 1000} s. Runs: ${seen.join('; ') || 'none'}.`,
  );
}

function printRun(story: StoryPrinter, run: Run): void {
  const times = run.occurrences === 1 ? 'one occurrence' : `${run.occurrences} occurrences`;
  story.line();
  story.pair('one run', `${story.style('bold', run.title)}`);
  story.pair('', `${times} through ${run.doors.join(', ')}, ${run.state}, ${story.style('dim', run.run_id)}`);
}

async function keepServing(story: StoryPrinter, signal: AbortSignal, servers: DemoServers): Promise<void> {
  story.line('The board stays open. Press Ctrl-C to stop.');
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  if (!signal.aborted) await Promise.race([stopped, servers.died]);
}

const PREFIX = 'culprit-demo-';
/** Process id of the demo that uses the folder. */
const OWNER = 'demo.pid';
const OLD_MS = 24 * 60 * 60_000;

/** The demo's folder: the one that was asked for, or a temporary one. */
interface DataDirectory {
  readonly path: string;
  readonly temporary: boolean;
}

function makeDataDirectory(asked: string | null): DataDirectory {
  if (asked !== null) {
    mkdirSync(resolve(asked), { recursive: true });
    return { path: realpathSync(resolve(asked)), temporary: false };
  }
  removeOld(tmpdir(), Date.now());
  const path = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  writeFileSync(join(path, OWNER), String(process.pid));
  return { path, temporary: true };
}

/** Removes this user's temporary folders of demos that ended and are older than a day. */
export function removeOld(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    if (!/^culprit-demo-[A-Za-z0-9]{6}$/.test(name)) continue;
    const folder = join(parent, name);
    try {
      const { uid, mtimeMs, isFolder } = factsOf(folder);
      if (isFolder && uid === process.getuid?.() && now - mtimeMs > OLD_MS && !isInUse(folder))
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another demo may be removing it.
    }
  }
}

/** Of the folder itself: a link in a shared directory may be anyone's. */
function factsOf(folder: string) {
  const facts = lstatSync(folder);
  return { uid: facts.uid, mtimeMs: facts.mtimeMs, isFolder: facts.isDirectory() };
}

function isInUse(folder: string): boolean {
  try {
    const pid = Number(readFileSync(join(folder, OWNER), 'utf8'));
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
