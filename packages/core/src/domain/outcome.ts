/** What became of a delivery. Every delivery ends in exactly one; each is counted by name. */
export const OUTCOMES = {
  /** At the edge: durable, on its way to core. At core: counted on a run. */
  accepted: 'The crash was kept.',
  /** The same event id was kept before, within retention; nothing was counted again. */
  duplicate: 'The same event was kept before.',
  /** Nothing in it is a crash (sessions, transactions, other webhook resources); answered as a success. */
  ignored: 'The delivery held no crash.',
  /** Configuration says that such crashes are not wanted. */
  filtered: 'Configuration leaves such crashes out.',
  malformed: 'The body could not be understood.',
  unauthenticated: 'The credential was missing or wrong.',
  forbidden: 'The credential is not allowed here.',
  too_large: 'The body was over its ceiling.',
  unsupported_encoding: 'The content encoding is not spoken here.',
  rate_limited: 'The sender was over its rate.',
  overloaded: 'The spool or the server could take no more.',
  timed_out: 'The body did not arrive in time.',
  aborted: 'The sender went away before the body was complete.',
  /** Core refused what the edge had accepted: kept as a dead letter for an operator. */
  invalid: 'Core could not make an event of it.',
} as const;
/** How a delivery ended; one of `OUTCOMES`. */
export type Outcome = keyof typeof OUTCOMES;
