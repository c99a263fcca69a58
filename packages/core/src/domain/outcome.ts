/** The outcomes of a delivery. Every delivery has exactly one; each is counted by name. */
export const OUTCOMES = {
  /** On the edge: stored, to be forwarded. On core: counted on a run. */
  accepted: 'The crash was stored.',
  /** An event with this id is already stored; nothing was counted. */
  duplicate: 'The same event is already stored.',
  /** It contains no crash (sessions, transactions, other webhook resources). The response is a success. */
  ignored: 'The delivery contained no crash.',
  /** The configuration excludes such crashes. */
  filtered: 'Dropped by configuration.',
  malformed: 'The body could not be parsed.',
  unauthenticated: 'The credential is missing or invalid.',
  forbidden: 'The credential is not valid for this door.',
  too_large: 'The body exceeded its size limit.',
  unsupported_encoding: 'Unsupported content encoding.',
  rate_limited: 'The sender exceeded its rate limit.',
  overloaded: 'The spool was full or the server was overloaded.',
  timed_out: 'The body did not arrive in time.',
  aborted: 'The sender closed the connection before the body was complete.',
  /** On core: it would have started a run. Crashes of existing runs are still counted. */
  over_quota: 'The crash is new, and a quota of its key, door or project is used up.',
  /** Core rejected what the edge had accepted; it is stored as a dead letter. */
  invalid: 'Core could not read it as an event.',
} as const;
/** How a delivery ended; one of `OUTCOMES`. */
export type Outcome = keyof typeof OUTCOMES;
