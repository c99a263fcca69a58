/** Names for new things. Law: never the same twice in one installation; URL-safe; no meaning to be read from them. */
export interface IdGenerator {
  /** `run_` and 26 lower-case base-32 digits, sortable by time of making. */
  runId(): string;
  /** 32 hex digits. */
  eventId(): string;
}
