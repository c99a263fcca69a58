import type { Port } from '../domain/port.js';

/** Generates ids. Must never return one twice in an installation; ids are URL-safe and opaque. */
export interface IdGenerator {
  /** `run_` and 26 lower-case base-32 digits, sortable by creation time. */
  runId(): string;
  /** 32 hex digits. */
  eventId(): string;
}
export const IdGenerator = Symbol('IdGenerator') as Port<IdGenerator>;
