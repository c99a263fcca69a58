/** Keyv's stored form, `{value, expires}` with ms since 1970, for code that reads or writes values without Keyv. */
interface Kept {
  readonly value: string;
  readonly expires?: number;
}

/** `undefined` if it has expired. */
export function textOfKept(kept: string, now: number): string | undefined {
  const { value, expires } = JSON.parse(kept) as Kept;
  if (typeof expires === 'number' && expires <= now) return undefined;
  // Keyv prefixes a colon to a text that starts with one.
  return value.startsWith(':') ? value.slice(1) : value;
}

export function textToKeep(value: string, expires?: number): string {
  const kept: Kept = {
    value: value.startsWith(':') ? `:${value}` : value,
    ...(expires === undefined ? {} : { expires }),
  };
  return JSON.stringify(kept);
}
