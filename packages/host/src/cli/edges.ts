import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Edge, EdgeCommand } from '@culprit/client';
import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { styleFor } from '../log/terminal.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { type Form, form, type Given, overCore } from './over-core.js';
import { clipped, listText, oneLine, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { deadLetterNumbers, runOnSpool, SPOOL_FORMS } from './spool.js';

const NONE = 'No edge has reported to this core since it started.';

const overEdges = overCore(
  'edges',
  {
    flags: {
      limit: {
        value: 'NAME=VALUE',
        meaning:
          'set: a limit and its new value, as `edges show` names it; the value "configured" restores that of the configuration; may be repeated',
        many: true,
      },
      all: {
        meaning: 'resend, drop: every dead letter of the edge; list --spool: all, not only 50 of each kind',
      },
      spool: {
        meaning:
          'the spool of this machine’s edge, in the data directory, instead of an edge that core knows; also without core',
      },
      'no-wait': { meaning: 'set, resend, drop, test: do not wait until the edge has executed it' },
    },
    notes: [
      'Core knows the edges that have reported since it started. set, resend, drop and test need the scope operate; the edge executes them when it polls core, usually within five seconds. Limits that were set survive a restart of the edge.',
      'A dead letter is a delivery that core rejected as invalid; a dropped one is deleted permanently. Resend it once core can read it; in the spool it gets a new number. Waiting deliveries are sent automatically and cannot be dropped.',
      'test makes the edge send a crash to its own native door, which starts a run with the environment culprit-test.',
    ],
  },
  {
    '[list]': form('', {
      call({ api, flags }) {
        if (flags.has('all')) throw usageError('list takes --all only with --spool.');
        return api.listEdges();
      },
      text: ({ edges }) => edgesText(edges),
    }),
    show: form('EDGE', { call: known, text: edgeText }),
    history: form('[EDGE]', {
      async call({ api, args: [wanted] }) {
        const { edges } = await api.getEdgeHistory();
        return { edges: wanted === undefined ? edges : [find(edges, wanted)] };
      },
      text: ({ edges }) => (edges.length === 0 ? `${NONE}\n` : edges.map(pointsText).join('')),
    }),
    set: commands('EDGE --limit NAME=VALUE… [--no-wait]', ({ flags }, edge) => ({
      kind: 'limits',
      values: valuesOf(edge, flags),
    })),
    resend: commands('EDGE NUMBER…|--all [--no-wait]', (given) => ({
      kind: 'resend',
      sequences: sequencesOf(given),
    })),
    drop: commands('EDGE NUMBER…|--all [--no-wait]', (given) => ({
      kind: 'drop',
      sequences: sequencesOf(given),
    })),
    test: commands('EDGE [--no-wait]', () => ({ kind: 'test' })),
  },
);

/** The edges that report to core, and commands to them; with `--spool`, the spool of this machine. */
export const usage: CommandUsage = {
  ...overEdges.usage,
  forms: [...overEdges.usage.forms, ...SPOOL_FORMS],
};

export function run(flags: ReadFlags): Promise<number> {
  return flags.has('spool') ? runOnSpool(flags) : overEdges.run(flags);
}

async function known({ api, args: [wanted = ''] }: Given): Promise<Edge> {
  return find((await api.listEdges()).edges, wanted);
}

function find<One extends { readonly edge: string }>(edges: readonly One[], wanted: string): One {
  const found = edges.find(({ edge }) => edge === wanted);
  if (found !== undefined) return found;
  const known = edges.length === 0 ? NONE : `Known are ${edges.map(({ edge }) => oneLine(edge)).join(', ')}.`;
  throw new CommandFailure(`No edge ${JSON.stringify(wanted)}. ${known}`, EXIT.notFound);
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

function sequencesOf({ flags, args: [, ...numbers] }: Given): number[] | 'all' {
  const [verb = ''] = flags.positionals;
  return deadLetterNumbers(flags, numbers, `culprit edges ${verb} EDGE`, 'culprit edges show EDGE');
}

const WAIT_MS = 30_000;
const AGAIN_MS = 500;

/** A form that sends a command to an edge, and waits until the edge has executed it. */
function commands(takes: string, actionOf: (given: Given, edge: Edge) => EdgeCommand['action']): Form {
  return form(takes, {
    async call(given) {
      const { api, flags } = given;
      const found = await known(given);
      const queued = await api.commandEdge({ edge: found.edge, ...actionOf(given, found) });
      return flags.has('no-wait') ? queued : executed(api, found.edge, queued);
    },
    text: ({ status, detail }) =>
      status === 'queued'
        ? 'Queued. The edge executes it when it polls core.\n'
        : `${status}: ${oneLine(detail ?? '')}\n`,
    exit: ({ status }, { flags }) =>
      status === 'done' || (status === 'queued' && flags.has('no-wait'))
        ? EXIT.done
        : status === 'queued'
          ? EXIT.unreachable
          : EXIT.failed,
  });
}

/** The command once the edge has executed it; as it is after 30 seconds. */
async function executed(api: Given['api'], edge: string, queued: EdgeCommand): Promise<EdgeCommand> {
  for (const until = Date.now() + WAIT_MS; ; await sleep(AGAIN_MS)) {
    const { commands } = find((await api.listEdges()).edges, edge);
    const now = commands.find(({ id }) => id === queued.id) ?? queued;
    if (now.status !== 'queued' || Date.now() >= until) return now;
  }
}

function edgesText(edges: readonly Edge[]): string {
  if (edges.length === 0) return `${NONE}\n`;
  const head = ['EDGE', 'LAST REPORT', 'FORWARDER', 'SPOOL', 'OLDEST', 'DEAD LETTERS'];
  const rows = edges.map(({ edge, received_at, figures }) => {
    const { depth, oldest } = spoolOf(figures);
    const state = textOf(objectOf(figures.forwarder).state) ?? 'unknown';
    return [
      clipped(edge, 60),
      received_at,
      clipped(state, 20),
      depth,
      oldest,
      String(numberOf(figures.dead_letters)),
    ];
  });
  return listText(head, rows);
}

/** One edge: its state, limits, dead letters and commands. */
function edgeText({ edge, received_at, figures, limits, dead_letters, commands }: Edge): string {
  const forwarder = objectOf(figures.forwarder);
  const { depth, oldest, fault } = spoolOf(figures);
  const letters = numberOf(figures.dead_letters);
  const rows = [
    ['edge', oneLine(edge)],
    ['last report', received_at],
    ['started', textOf(figures.started_at) ?? 'unknown'],
    ['forwarder', [forwarder.state, forwarder.last_error].flatMap((one) => textOf(one) ?? []).join(': ')],
    ['spool', `${depth} deliveries, oldest ${oldest}`],
    ...(fault === null ? [] : [['disk', fault]]),
    ['accepted', `${numberOf(figures.crashes)} crashes since the start`],
    ['dead letters', String(letters)],
  ].map(([name = '', text = '']) => [name, clipped(text, 200)]);
  const set = Object.entries(limits).map(([name, { value, configured }]) => [
    oneLine(name),
    String(value),
    value === configured ? '' : `configured: ${configured}`,
  ]);
  return [
    tableText(rows),
    section('Limits', ['NAME', 'VALUE', ''], set),
    section(
      letters > dead_letters.length ? `Dead letters, the newest ${dead_letters.length}` : 'Dead letters',
      ['NUMBER', 'RECEIVED', 'DOOR', 'PROJECT', 'EVENT', 'REASON'],
      dead_letters.map((one) => [
        String(one.sequence),
        one.at,
        oneLine(one.door),
        clipped(one.project, 30),
        clipped(one.event_id, 40),
        clipped(one.detail, 100),
      ]),
    ),
    section(
      'Commands',
      ['AT', 'BY', 'COMMAND', 'STATUS', ''],
      commands.map(({ at, by, action, status, detail }) => [
        at,
        clipped(by, 40),
        action.kind,
        status,
        clipped(detail ?? '', 100),
      ]),
    ),
  ].join('');
}

type History = Answer<'getEdgeHistory', 200>['edges'][number];

/** A row for each minute of the last hour. */
function pointsText({ edge, points }: History): string {
  const minutes = points.filter(({ at }, index) => minuteOf(at) !== minuteOf(points[index + 1]?.at ?? 0));
  const rows = minutes.map(({ at, accepted, refused, depth, oldest_ms }, index) => {
    const before = minutes[index - 1];
    // The counts start again with the edge.
    const since = (now: number, then: number | undefined) =>
      then === undefined ? '–' : String(now < then ? now : now - then);
    return [
      new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      since(accepted, before?.accepted),
      since(refused, before?.refused),
      String(depth),
      `${Math.round(oldest_ms / 1_000)} s`,
    ];
  });
  return section(oneLine(edge), ['UNTIL (UTC)', 'ACCEPTED', 'REFUSED', 'SPOOL', 'OLDEST'], rows);
}

const minuteOf = (at: number) => Math.floor(at / 60_000);

function spoolOf(figures: Edge['figures']) {
  const spool = objectOf(figures.spool);
  const age = spool.oldest_age_ms;
  return {
    depth: String(numberOf(spool.depth)),
    oldest: typeof age === 'number' ? `${Math.round(age / 1_000)} s` : '–',
    fault: textOf(spool.fault),
  };
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  return `\n${styleFor(process.stdout)('bold', title)}\n${listText(head, rows)}`;
}
