let lastMs = Number.NaN;
let lastText = '';

/** A time in ISO 8601. Under load, many deliveries arrive within one millisecond. */
export function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
