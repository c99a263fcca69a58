import type { Port } from '../domain/port.js';

/**
 * Structured log: object first, then a static message. Must not throw or block.
 * `fields` must not contain secrets or crash text.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
export const Logger = Symbol('Logger') as Port<Logger>;
