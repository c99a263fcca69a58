/** Bytes of a request head that arrives in several packets; the default of uWebSockets.js is 4 KiB. */
const HEAD_BYTES = '16384';

/** uWebSockets.js reads this variable once, when it is loaded. An operator's value is kept. */
export function setNativeLimits(): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= HEAD_BYTES;
}

/** The same limit for other servers. */
export function headBytes(): number {
  const given = Number(process.env.UWS_HTTP_MAX_HEADERS_SIZE ?? HEAD_BYTES);
  return Number.isSafeInteger(given) && given > 0 ? given : Number(HEAD_BYTES);
}
