/**
 * Structured log. Law: must not throw, must not block; object first, then a static message.
 * Callers put no secret and no crash text into `fields`.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
