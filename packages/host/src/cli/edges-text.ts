import type { Answer, Edge } from '@culprit/client';
import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { print, styleFor } from '../log/terminal.js';
import { clipped, oneLine, tableText } from './print.js';

export function printEdges(edges: readonly Edge[]): void {
  if (edges.length === 0) return void print('No edge has reported to this core since it started.\n');
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
  print(table([head, ...rows]));
}

/** One edge: its state, limits, dead letters and commands. */
export function printEdge({ edge, received_at, figures, limits, dead_letters, commands }: Edge): void {
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
  print(tableText(rows));
  const set = Object.entries(limits).map(([name, { value, configured }]) => [
    oneLine(name),
    String(value),
    value === configured ? '' : `configured: ${configured}`,
  ]);
  section('Limits', ['NAME', 'VALUE', ''], set);
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
  );
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
  );
}

type History = Answer<'getEdgeHistory', 200>['edges'][number];

/** A row for each minute of the last hour. */
export function printPoints({ edge, points }: History): void {
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
  section(oneLine(edge), ['UNTIL (UTC)', 'ACCEPTED', 'REFUSED', 'SPOOL', 'OLDEST'], rows);
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

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  print(`\n${styleFor(process.stdout)('bold', title)}\n${table([head, ...rows])}`);
}

function table(rows: readonly (readonly string[])[]): string {
  const style = styleFor(process.stdout);
  return tableText(rows, (cell, row) => (row === 0 ? style('dim', cell) : cell));
}
