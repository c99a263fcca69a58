/** How Keyv writes down what it keeps, for those who must read it or write it past Keyv: `{value, expires}`, ms since 1970. */
interface Kept {
  readonly value: string;
  readonly expires?: number;
}

/** `undefined` for what has expired. */
export function textOfKept(kept: string, now: number): string | undefined {
  const { value, expires } = JSON.parse(kept) as Kept;
  if (typeof expires === 'number' && expires <= now) return undefined;
  // Keyv puts a colon before a text that begins with one.
  return value.startsWith(':') ? value.slice(1) : value;
}

export function textToKeep(value: string, expires?: number): string {
  const kept: Kept = {
    value: value.startsWith(':') ? `:${value}` : value,
    ...(expires === undefined ? {} : { expires }),
  };
  return JSON.stringify(kept);
}
