import { randomBytes } from 'node:crypto';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { CommandResult, OperatorAction, OperatorCommand } from '../edge/operator/commands.js';
import { type EdgeCommand, type EdgeEntry, edgeCommandSchema } from './schema/edges.js';

/** Edges in memory, as in the guard snapshots; the one that reported longest ago is evicted first. */
const EDGES = 32;
/** Commands stored per edge, including finished ones. */
const COMMANDS = 50;
/** A command expires if the edge does not poll for it. */
const EXPIRES_MS = 10 * 60_000;
/** How long finished commands are listed. */
const KEPT_MS = 24 * 60 * 60_000;

/** What an edge reports beside its guard figures. */
export type EdgeReport = Pick<EdgeEntry, 'limits' | 'dead_letters'>;

/**
 * Reports of edges, in memory, and commands to them, in the storage, so that any core can deliver them, also after a restart.
 * Core never connects to an edge; it answers the edge's polls.
 */
export interface EdgeRegistry {
  report(edge: string, report: EdgeReport): void;
  reported(edge: string): EdgeReport | null;
  find(edge: string): Promise<(EdgeReport & Pick<EdgeEntry, 'commands'>) | null>;
  /** `null` for an unknown edge. */
  command(edge: string, action: OperatorAction, by: string): Promise<EdgeCommand | null>;
  /** Records the results of commands. */
  done(edge: string, results: readonly CommandResult[]): Promise<void>;
  /** Commands that the edge has not executed, oldest first. */
  pending(edge: string): Promise<readonly OperatorCommand[]>;
}

export function createEdgeRegistry(values: () => Values, now: () => number): EdgeRegistry {
  const reports = boundedMap<string, EdgeReport>(EDGES);
  const schema = v.pipe(
    edgeCommandSchema,
    v.transform((command) => current(command, now())),
  );
  const commandsOf = (edge: string) =>
    storedList<EdgeCommand>(values(), `edge-commands:${edge}`, {
      ...{ schema, newest: 'last', most: COMMANDS, ttlMs: KEPT_MS },
    });
  return {
    report: (edge, report) => void reports.set(edge, report),
    reported: (edge) => reports.get(edge) ?? null,
    async find(edge) {
      const report = reports.get(edge);
      return report === undefined
        ? null
        : { ...report, commands: [...(await commandsOf(edge).get())].reverse() };
    },
    async command(edge, action, by) {
      if (!reports.has(edge)) return null;
      const id = `cmd_${randomBytes(12).toString('hex')}`;
      const at = new Date(now()).toISOString();
      const command: EdgeCommand = { id, action, by, at, status: 'queued', detail: null };
      await commandsOf(edge).add(command);
      return command;
    },
    async done(edge, results) {
      if (results.length === 0) return;
      const byId = new Map(results.map((result) => [result.id, result]));
      await commandsOf(edge).change((commands) =>
        commands.map((command) => {
          const result = byId.get(command.id);
          if (result === undefined || command.status !== 'queued') return command;
          return { ...command, status: result.ok ? 'done' : 'failed', detail: result.detail };
        }),
      );
    },
    async pending(edge) {
      const commands = await commandsOf(edge).get();
      return commands.flatMap(({ id, action, status }) => (status === 'queued' ? [{ id, action }] : []));
    },
  };
}

function current(command: EdgeCommand, now: number): EdgeCommand {
  return command.status === 'queued' && Date.parse(command.at) < now - EXPIRES_MS
    ? { ...command, status: 'expired', detail: 'The edge did not poll within ten minutes.' }
    : command;
}
