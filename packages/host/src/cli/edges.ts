import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Edge, EdgeCommand } from '@culprit/client';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { printEdge, printEdges, printPoints } from './edges-text.js';
import { CommandFailure, EXIT, type ExitCode, unknownWord, usageError } from './exit-codes.js';
import { oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'edges [list] [flags]',
    'edges show EDGE [flags]',
    'edges history [EDGE] [flags]',
    'edges set EDGE --limit NAME=VALUE… [--no-wait] [flags]',
    'edges resend EDGE NUMBER…|--all [--no-wait] [flags]',
    'edges drop EDGE NUMBER…|--all [--no-wait] [flags]',
    'edges test EDGE [--no-wait] [flags]',
  ],
  flags: {
    limit: {
      value: 'NAME=VALUE',
      meaning:
        'set: a limit and its new value, as `edges show` names it; the value "configured" restores that of the configuration; may be repeated',
      many: true,
    },
    all: { meaning: 'resend, drop: every dead letter of the edge' },
    'no-wait': { meaning: 'set, resend, drop, test: do not wait until the edge has executed it' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Core knows the edges that have reported since it started. set, resend, drop and test need the scope operate; the edge executes them when it polls core, usually within five seconds. Limits that were set survive a restart of the edge.',
    'A dead letter is a delivery that core rejected as invalid; a dropped one is deleted permanently. On the edge’s machine `culprit spool` does the same, also without core.',
    'test makes the edge send a crash to its own native door, which starts a run with the environment culprit-test.',
  ],
};

type Action = EdgeCommand['action'];
type Verb = (api: Client, edge: Edge, flags: ReadFlags) => Promise<ExitCode>;
const VERBS: Readonly<Record<string, Verb>> = {
  async show(_api, edge, flags) {
    if (flags.has('json')) printJson(edge);
    else printEdge(edge);
    return EXIT.done;
  },
  set: (api, edge, flags) => command(api, edge, flags, { kind: 'limits', values: valuesOf(edge, flags) }),
  resend: (api, edge, flags) => command(api, edge, flags, { kind: 'resend', sequences: sequencesOf(flags) }),
  drop: (api, edge, flags) => command(api, edge, flags, { kind: 'drop', sequences: sequencesOf(flags) }),
  test: (api, edge, flags) => command(api, edge, flags, { kind: 'test' }),
};

/** The edges that report to core, and commands to them. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', name, ...rest] = flags.positionals;
  const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (work === undefined && verb !== 'list' && verb !== 'history')
    throw unknownWord('subcommand', verb, ['list', 'history', ...Object.keys(VERBS)]);
  const takesNumbers = verb === 'resend' || verb === 'drop';
  if ((rest.length > 0 && !takesNumbers) || (verb === 'list' && name !== undefined))
    throw usageError('Too many arguments.');
  if (work !== undefined && name === undefined)
    throw usageError(`An edge is missing: culprit edges ${verb} EDGE.`);
  if (takesNumbers) sequencesOf(flags);
  const api = connect(flags);
  if (verb === 'history') return history(api, flags, name ?? null);
  const edges = (await api.listEdges()).edges;
  if (work !== undefined) return work(api, find(edges, name ?? ''), flags);
  if (flags.has('json')) printJson({ edges });
  else printEdges(edges);
  return EXIT.done;
}

function find<One extends { readonly edge: string }>(edges: readonly One[], wanted: string): One {
  const found = edges.find(({ edge }) => edge === wanted);
  if (found !== undefined) return found;
  const known =
    edges.length === 0
      ? 'No edge has reported to this core since it started.'
      : `Known are ${edges.map(({ edge }) => oneLine(edge)).join(', ')}.`;
  throw new CommandFailure(`No edge ${JSON.stringify(wanted)}. ${known}`, EXIT.notFound);
}

async function history(api: Client, flags: ReadFlags, wanted: string | null): Promise<ExitCode> {
  const all = (await api.getEdgeHistory()).edges;
  const edges = wanted === null ? all : [find(all, wanted)];
  if (flags.has('json')) printJson({ edges });
  else if (edges.length === 0) print('No edge has reported to this core since it started.\n');
  else for (const edge of edges) printPoints(edge);
  return EXIT.done;
}

function valuesOf({ limits }: Edge, flags: ReadFlags): Readonly<Record<string, number | null>> {
  const given = flags.all('limit');
  if (given.length === 0) throw usageError('--limit NAME=VALUE is missing.');
  return Object.fromEntries(
    given.map((text) => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
      if (name !== '' && !Object.hasOwn(limits, name)) throw unknownWord('limit', name, Object.keys(limits));
      if (name !== '' && value === 'configured') return [name, null];
      if (name === '' || !/^[1-9]\d{0,14}$/.test(value))
        throw usageError('--limit must be NAME=VALUE with a whole number from 1, or NAME=configured.');
      return [name, Number(value)];
    }),
  );
}

function sequencesOf(flags: ReadFlags): number[] | 'all' {
  const [verb = '', , ...numbers] = flags.positionals;
  if (flags.has('all') === numbers.length > 0)
    throw usageError(`Name the dead letters: culprit edges ${verb} EDGE NUMBER…, or --all.`);
  if (flags.has('all')) return 'all';
  return numbers.map((text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw usageError(`${JSON.stringify(text)} is not a number from \`culprit edges show EDGE\`.`);
  });
}

const WAIT_MS = 30_000;
const AGAIN_MS = 500;

async function command(api: Client, { edge }: Edge, flags: ReadFlags, action: Action): Promise<ExitCode> {
  const queued = await api.commandEdge({ edge, ...action });
  const done = flags.has('no-wait') ? queued : await executed(api, edge, queued);
  if (flags.has('json')) printJson(done);
  else if (done.status === 'queued') print('Queued. The edge executes it when it polls core.\n');
  else print(`${done.status}: ${oneLine(done.detail ?? '')}\n`);
  if (done.status === 'queued') return flags.has('no-wait') ? EXIT.done : EXIT.unreachable;
  return done.status === 'done' ? EXIT.done : EXIT.failed;
}

/** The command once the edge has executed it; as it is after 30 seconds. */
async function executed(api: Client, edge: string, queued: EdgeCommand): Promise<EdgeCommand> {
  for (const until = Date.now() + WAIT_MS; ; await sleep(AGAIN_MS)) {
    const { commands } = find((await api.listEdges()).edges, edge);
    const now = commands.find(({ id }) => id === queued.id) ?? queued;
    if (now.status !== 'queued' || Date.now() >= until) return now;
  }
}
