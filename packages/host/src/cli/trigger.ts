import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isCulpritError, type JsonObject } from '@culprit/core';
import type { Config } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import type { ClientConfig } from '../config/load-config.js';
import { commandName } from '../config/own-name.js';
import { suggest } from '../config/setting.js';
import { crashAt, openRepository, type Place } from '../demo/own-repository.js';
import { print, printError } from '../log/terminal.js';
import { type CapturedRequest, freshCrash, throughDoor } from '../replay/captured.js';
import { CRASH_FIXTURES } from '../replay/crash-fixtures.js';
import { isScenario, scenarioCase } from '../replay/scenario.js';
import { sendThroughDoor, signedHeaders } from '../replay/send.js';
import { setPath } from '../replay/set-path.js';
import { CLIENT_FLAGS, clientConfig, EDGE_FLAGS, unknownProject } from './client-flags.js';
import { type CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { readPlace } from './read-place.js';

const DOORS = ['native', 'webhook', 'sdk'] as const;

export const usage: CommandUsage = {
  forms: [
    'trigger FIXTURE [--set path=value]… [--door native|webhook|sdk] [flags]',
    'trigger --at FILE:LINE [--repository DIR] [flags]',
    'trigger SCENARIO_DIR [flags]',
    'trigger --list',
  ],
  flags: {
    list: { meaning: 'list the fixtures' },
    at: {
      value: 'FILE:LINE',
      meaning: 'send a crash at this line of your own repository, at its last commit',
    },
    repository: {
      value: 'DIR',
      meaning:
        'with --at: a local clone (default: that of the project or of REPOSITORY if it is a path, otherwise this directory)',
    },
    project: {
      value: 'NAME',
      meaning:
        'the project to send to (default: with --at the one that has this repository, otherwise the first)',
    },
    set: {
      value: 'PATH=VALUE',
      meaning: 'set a member of the crash to JSON or text, such as release=v2 or tags.zone=eu',
      many: true,
    },
    door: { value: DOORS.join('|'), meaning: 'default native' },
    times: { value: 'N', meaning: 'send it N times, each with its own id' },
    'dry-run': { meaning: 'print the request as curl and send nothing' },
    'print-secret': { meaning: 'with --dry-run: also print the credential' },
    ...CLIENT_FLAGS,
    ...EDGE_FLAGS,
  },
  notes: [
    'A fixture is a crash of a sample program: it tests the way to the board, but no file of your repository matches it. A crash with --at has suspects in your repository.',
  ],
};

/** Exit code 1 if the door rejects the crash. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.has('list')) return list(flags.has('json'));
  const client = clientConfig(flags);
  const { config, edge } = client;
  const requests = requestsOf(flags, config);
  const secrets = client.doorSecrets(projectOf(flags, config));
  const answers = [];
  for (const request of requests) {
    if (flags.has('dry-run')) {
      print(`${curl(edge.url, request, signedHeaders(request, secrets), flags.has('print-secret'))}\n`);
      continue;
    }
    const answer = await sendThroughDoor(edge.url, request, secrets);
    answers.push({ door: request.door, ...answer });
    if (flags.has('json')) continue;
    const detail = answer.detail === null ? '' : `  ${clipped(answer.detail, 200)}`;
    print(`${request.door}  ${answer.status}  ${answer.event_id ?? ''}${detail}\n`);
  }
  if (flags.has('json') && !flags.has('dry-run')) printJson({ answers });
  else if (answers.some(({ status }) => status < 300)) printError(nextStep(client));
  return answers.every(({ status }) => status < 300) ? EXIT.done : EXIT.failed;
}

function nextStep({ running, core }: ClientConfig): string {
  const board = running ? `, and the board at ${core.url}` : '';
  return `culprit: \`${commandName()} runs\` shows its run${board}.\n`;
}

function list(json: boolean): number {
  const fixtures = CRASH_FIXTURES.map(({ name, summary }) => ({ name, summary }));
  if (json) printJson({ fixtures });
  else print(tableText(fixtures.map(({ name, summary }) => [name, summary])));
  return EXIT.done;
}

function requestsOf(flags: ReadFlags, config: Config): readonly CapturedRequest[] {
  const at = flags.text('at');
  if (at !== null) {
    if (flags.positionals.length > 0) throw usageError('--at sends its own crash: remove the fixture.');
    return repeated(flags, ownCrash(readPlace('at', at), flags, config));
  }
  const name = flags.only('Name a fixture (see --list) or a scenario, or pass --at FILE:LINE.');
  if (existsSync(name) && isScenario(name)) {
    if (flags.all('set').length > 0)
      throw usageError('--set works only with a fixture; a scenario is sent unchanged.');
    return scenarioCase(name).items.flatMap((item) => ('request' in item ? [item.request] : []));
  }
  const known = CRASH_FIXTURES.find((fixture) => fixture.name === name);
  if (known === undefined) throw unknownFixture(name);
  const requests = repeated(flags, known.crash);
  if (flags.all('set').length === 0) printError(SAMPLE);
  return requests;
}

const SAMPLE =
  'culprit: this is a crash of a sample program, so no file of your repository matches. Send one of your own with --at FILE:LINE.\n';

function unknownFixture(name: string): CommandFailure {
  const near = suggest(
    name,
    CRASH_FIXTURES.map((fixture) => fixture.name),
  );
  const hint = near === null ? `Run \`${commandName()} trigger --list\`.` : `Did you mean ${near}?`;
  return usageError(`Unknown fixture "${clipped(name, 40)}". ${hint}`);
}

/** Whose credentials are used; `null`: the first project's. */
function projectOf(flags: ReadFlags, config: Config): string | null {
  const { projects, serviceTokens, trackerHookSecret, sdkKeys } = config;
  const asked = flags.text('project');
  if (asked !== null) {
    const known = new Set([...serviceTokens, ...trackerHookSecret, ...sdkKeys].map(({ project }) => project));
    if (known.has(asked)) return asked;
    throw unknownProject(asked, [...known]);
  }
  if (flags.text('at') === null) return null;
  const { root } = openRepository(folderOf(flags, config));
  const own = Object.entries(projects).find(
    ([, { repository = '' }]) => existsSync(repository) && realpathSync(repository) === root,
  );
  return own?.[0] ?? null;
}

/** Without --repository: the project's if it is a clone on this machine, otherwise this directory. */
function folderOf(flags: ReadFlags, { projects }: Config): string {
  const { repository = '' } = projects[flags.text('project') ?? DEFAULT_PROJECT] ?? {};
  return flags.text('repository') ?? (isAbsolute(repository) ? repository : '.');
}

function ownCrash(place: Place, flags: ReadFlags, config: Config): JsonObject {
  try {
    return crashAt(openRepository(folderOf(flags, config)), place, 'test');
  } catch (error) {
    throw isCulpritError(error, 'malformed') ? usageError(error.message) : error;
  }
}

function repeated(flags: ReadFlags, crash: JsonObject): readonly CapturedRequest[] {
  const door = flags.oneOf('door', DOORS, 'native');
  return Array.from({ length: flags.count('times', 1, 10_000) }, () =>
    requestFor(door, flags.all('set').reduce(changed, freshCrash(crash))),
  );
}

function changed(crash: Record<string, unknown>, assignment: string): Record<string, unknown> {
  try {
    return setPath(crash, assignment);
  } catch (error) {
    throw isCulpritError(error, 'malformed') ? usageError(error.message) : error;
  }
}

function requestFor(door: (typeof DOORS)[number], crash: Record<string, unknown>): CapturedRequest {
  const json = JSON.stringify(crash);
  if (door !== 'sdk') return throughDoor(door, Buffer.from(json), { 'content-type': 'application/json' });
  const header = JSON.stringify({ event_id: crash.event_id, sent_at: crash.timestamp });
  const item = JSON.stringify({ type: 'event', length: Buffer.byteLength(json) });
  const body = Buffer.from(`${header}\n${item}\n${json}\n`);
  return throughDoor('sdk', body, { 'content-type': 'application/x-sentry-envelope' });
}

const SECRET_HEADERS = ['x-service-token', 'x-sentry-auth'];

/** A signature is not a secret: it authenticates only this body. */
function curl(
  edgeUrl: string,
  { path, body }: CapturedRequest,
  headers: Readonly<Record<string, string>>,
  withSecret: boolean,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(headers).map(([name, value]) => {
    const shown = withSecret || !SECRET_HEADERS.includes(name) ? value : '[redacted]';
    return `-H ${quoted(`${name}: ${shown}`)}`;
  });
  const parts = [
    `curl -sS ${quoted(edgeUrl + path)}`,
    ...lines,
    `--data-binary ${quoted(Buffer.from(body).toString('utf8'))}`,
  ];
  return parts.join(' \\\n  ');
}
