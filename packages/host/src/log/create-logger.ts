import type { Logger } from '@culprit/core';
import { type DestinationStream, pino } from 'pino';
import type { LogLevel } from '../config/config.js';
import { prettyLine } from './pretty-line.js';

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
