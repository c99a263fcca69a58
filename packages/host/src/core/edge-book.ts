import { randomBytes } from 'node:crypto';
import type {
  CommandResult,
  DeadLetterSummary,
  LimitSettings,
  OperatorAction,
  OperatorCommand,
} from '../edge/operator/commands.js';

/** As many as guard figures are kept of; the edge heard of longest ago is forgotten first. */
const EDGES = 32;
/** Commands kept for each edge, finished ones included. */
const COMMANDS = 50;
/** An edge that does not ask for so long will not find the command. */
const EXPIRES_MS = 10 * 60_000;

export type CommandStatus = 'queued' | 'done' | 'failed' | 'expired';

/** What a reviewer told an edge to do, and what became of it. */
export interface EdgeCommand {
  readonly id: string;
  readonly action: OperatorAction;
  /** Name of the reviewer. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly status: CommandStatus;
  readonly detail: string | null;
}

/** What an edge told beside its guard figures. */
export interface EdgeReport {
  readonly limits: LimitSettings;
  readonly dead_letters: readonly DeadLetterSummary[];
}

export interface EdgeEntry extends EdgeReport {
  /** Newest first. */
  readonly commands: readonly EdgeCommand[];
}

/**
 * Commands for edges, in this process: core never calls an edge, it answers. Several core processes behind one address
 * know of different commands; the edge asks every few seconds and finds each sooner or later.
 */
export interface EdgeBook {
  report(edge: string, report: EdgeReport, done: readonly CommandResult[]): void;
  find(edge: string): EdgeEntry | null;
  /** `null` for an edge that was never heard of. */
  command(edge: string, action: OperatorAction, by: string): EdgeCommand | null;
  /** What is to be answered to the edge, oldest first. */
  pending(edge: string): readonly OperatorCommand[];
}

interface Page {
  report: EdgeReport;
  commands: EdgeCommand[];
}

export function createEdgeBook(now: () => number): EdgeBook {
  const pages = new Map<string, Page>();
  const expire = (page: Page) => {
    const before = now() - EXPIRES_MS;
    page.commands = page.commands.map((command) =>
      command.status === 'queued' && Date.parse(command.at) < before
        ? { ...command, status: 'expired', detail: 'The edge has not asked for it within ten minutes.' }
        : command,
    );
  };
  return {
    report(edge, report, done) {
      const page = pages.get(edge) ?? { report, commands: [] };
      page.report = report;
      pages.delete(edge);
      const oldest = pages.size >= EDGES ? pages.keys().next().value : undefined;
      if (oldest !== undefined) pages.delete(oldest);
      pages.set(edge, page);
      const results = new Map(done.map((result) => [result.id, result]));
      page.commands = page.commands.map((command) => {
        const result = results.get(command.id);
        if (result === undefined || command.status !== 'queued') return command;
        return { ...command, status: result.ok ? 'done' : 'failed', detail: result.detail };
      });
    },
    find(edge) {
      const page = pages.get(edge);
      if (page === undefined) return null;
      expire(page);
      return { ...page.report, commands: [...page.commands].reverse() };
    },
    command(edge, action, by) {
      const page = pages.get(edge);
      if (page === undefined) return null;
      const id = `cmd_${randomBytes(12).toString('hex')}`;
      const at = new Date(now()).toISOString();
      const command: EdgeCommand = { id, action, by, at, status: 'queued', detail: null };
      page.commands = [...page.commands, command].slice(-COMMANDS);
      return command;
    },
    pending(edge) {
      const page = pages.get(edge);
      if (page === undefined) return [];
      expire(page);
      return page.commands.flatMap(({ id, action, status }) => (status === 'queued' ? [{ id, action }] : []));
    },
  };
}
