import { existsSync } from 'node:fs';
import { isCulpritError } from '@culprit/core';
import { print } from '../log/terminal.js';
import { type CapturedRequest, freshCrash, throughDoor } from '../replay/captured.js';
import { CRASH_FIXTURES } from '../replay/crash-fixtures.js';
import { isScenario, scenarioCase } from '../replay/scenario.js';
import { sendThroughDoor, signedHeaders } from '../replay/send.js';
import { setPath } from '../replay/set-path.js';
import { CLIENT_FLAGS, clientConfig, EDGE_FLAGS } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

const DOORS = ['native', 'webhook', 'sdk'] as const;

export const usage: CommandUsage = {
  forms: [
    'trigger FIXTURE [--set path=value]… [--door native|webhook|sdk] [flags]',
    'trigger SCENARIO_DIR [flags]',
    'trigger --list',
  ],
  flags: {
    list: { meaning: 'list the fixtures' },
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
};

/** Exit code 1 if the door rejects the crash. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.has('list')) return list(flags.has('json'));
  const name = flags.only('Name a fixture (see --list) or a scenario.');
  const config = clientConfig(flags);
  const answers = [];
  for (const request of requestsOf(name, flags)) {
    if (flags.has('dry-run')) {
      print(`${curl(config.edgeUrl, request, signedHeaders(request, config), flags.has('print-secret'))}\n`);
      continue;
    }
    const answer = await sendThroughDoor(config.edgeUrl, request, config);
    answers.push({ door: request.door, ...answer });
    if (flags.has('json')) continue;
    const detail = answer.detail === null ? '' : `  ${clipped(answer.detail, 200)}`;
    print(`${request.door}  ${answer.status}  ${answer.event_id ?? ''}${detail}\n`);
  }
  if (flags.has('json') && !flags.has('dry-run')) printJson({ answers });
  return answers.every(({ status }) => status < 300) ? EXIT.done : EXIT.failed;
}

function list(json: boolean): number {
  const fixtures = CRASH_FIXTURES.map(({ name, summary }) => ({ name, summary }));
  if (json) printJson({ fixtures });
  else print(tableText(fixtures.map(({ name, summary }) => [name, summary])));
  return EXIT.done;
}

function requestsOf(name: string, flags: ReadFlags): readonly CapturedRequest[] {
  if (existsSync(name) && isScenario(name)) {
    if (flags.all('set').length > 0)
      throw usageError('--set works only with a fixture; a scenario is sent unchanged.');
    return scenarioCase(name).items.flatMap((item) => ('request' in item ? [item.request] : []));
  }
  const door = flags.oneOf('door', DOORS, 'native');
  const known = CRASH_FIXTURES.find((fixture) => fixture.name === name);
  if (known === undefined)
    throw usageError(`Unknown fixture "${clipped(name, 40)}". Run \`culprit trigger --list\`.`);
  return Array.from({ length: flags.count('times', 1, 10_000) }, () => {
    const crash = flags.all('set').reduce(changed, freshCrash(known.crash));
    return requestFor(door, crash);
  });
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
