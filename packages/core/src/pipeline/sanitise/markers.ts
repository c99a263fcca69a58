/** Replaces a redacted text. `kind` is a rule's id. */
export function marker(kind: string): string {
  return `[redacted:${kind}]`;
}

const WHOLE_MARKER = /^\[redacted:[a-z0-9_-]{1,40}\]$/;
const MASKED =
  /^(?:[*•.]{1,64}|[xX]{3,64}|[[<(*]{0,3}(?:filtered|redacted|masked|hidden|scrubbed)[\])>*]{0,3})$/i;

/** Whether a value is already redacted: by us, by an SDK (`[Filtered]`), or as a row of asterisks. */
export function isMasked(value: string): boolean {
  return WHOLE_MARKER.test(value) || MASKED.test(value);
}
