/** Bytes of a request head that comes in several packets; uWebSockets.js' own default is 4 KiB. */
const HEAD_BYTES = '16384';

/** uWebSockets.js reads this when it is loaded, and from the environment only. What an operator has set stays. */
export function setNativeLimits(): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= HEAD_BYTES;
}
