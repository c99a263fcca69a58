const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** `5 min ago`; `now` for the last few seconds. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return iso;
  if (seconds < 5) return 'now';
  return seconds < 60 ? `${seconds} s ago` : `${span(seconds * 1000)} ago`;
}

/** `3 min`, in the largest unit that fits. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const unit = UNITS.find(([, size]) => seconds >= size) ?? (['s', 1] as const);
  return `${Math.floor(seconds / unit[1])} ${unit[0]}`;
}

/** In the reader's time zone: `2026-11-21 10:30:05 UTC+01:00`. */
export function exact(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const ahead = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + ahead * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  return `${local} ${zoneOf(ahead)}`;
}

/** `UTC`, `UTC+05:30` */
function zoneOf(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

/** Never 0 % or 100 %, because no probability is certain. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '< 1 %';
  return share > 0.99 && share < 1 ? '> 99 %' : `${Math.round(share * 100)} %`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function whole(count: number): string {
  return count.toLocaleString('en');
}

/** `1.4k`, for narrow columns. */
export function brief(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}
function trim(value: number): string {
  return value < 10 ? value.toFixed(1).replace('.0', '') : String(Math.floor(value));
}

export function bytes(count: number): string {
  if (count < 1_024) return `${whole(count)} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = count / 1_024;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1).replace('.0', '') : Math.round(value)} ${units[unit]}`;
}
