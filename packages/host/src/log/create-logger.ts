import type { Logger } from '@culprit/core';
import { type DestinationStream, pino } from 'pino';
import type { LogLevel } from '../config/config.js';
import { forTerminal } from './terminal.js';

/** Members that may contain a credential. */
const REDACT = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'password',
  'headers.authorization',
  'headers.cookie',
  'headers["x-service-token"]',
  'headers["tracker-hook-signature"]',
  '*.token',
  '*.secret',
  '*.authorization',
  '*.cookie',
];

/** Level, destination and format of the log. */
export interface LoggerOptions {
  readonly level: LogLevel;
  /** Name of the server. */
  readonly name: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
}

/** A logger on standard output: one JSON object on each line, or readable lines on a terminal. */
export function createLogger({ level, name, pretty }: LoggerOptions): Logger {
  const options = {
    level,
    name,
    redact: { paths: REDACT, censor: '[redacted]' },
    // Without it an error in this member is logged without message and stack.
    serializers: { error: pino.stdSerializers.err },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const stdout = pino.destination({ dest: 1, sync: true });
  // A terminal that was closed, or a full disk, takes no line; the server goes on, and above all it still ends in order.
  stdout.on('error', () => {});
  const people: DestinationStream = { write: (line) => void stdout.write(prettyLine(line)) };
  const log = pino(options, pretty ? people : stdout);
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

const HIDDEN: readonly string[] = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'error'];

/** A JSON log line as a readable line; other lines are unchanged. */
function prettyLine(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const time = String(entry.time ?? '').slice(11, 19);
  const level = entry.level === 'info' ? '' : `${String(entry.level)}: `;
  const fields = Object.entries(entry)
    .filter(([key]) => !HIDDEN.includes(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const problem = describe(entry.err ?? entry.error);
  const parts = [`${time} ${String(entry.name ?? '')}  ${level}${String(entry.msg ?? '')}`, ...fields];
  return forTerminal(`${parts.map((part) => part.replaceAll('\n', '·')).join('  ')}${problem}\n`);
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  return `\n  ${String(stack ?? message ?? '').replaceAll('\n', '\n  ')}`;
}
