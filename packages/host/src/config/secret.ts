import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** A value that is never printed: text, JSON, logs and `util.inspect` show `[redacted]`. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  /** The value itself; pass it only to the code that needs it. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return REDACTED;
  }
  toJSON(): string {
    return REDACTED;
  }
  [inspect.custom](): string {
    return REDACTED;
  }
}
