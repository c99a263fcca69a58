/** What of a request's head is stored with a delivery: nothing that is a credential or names a person. */
const KEPT = [
  'content-type',
  'content-encoding',
  'user-agent',
  'request-id',
  'x-request-id',
  'traceparent',
  'sentry-hook-resource',
  'sentry-hook-timestamp',
  'webhook-id',
  'webhook-timestamp',
];
const LONGEST = 256;

export function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (value !== undefined && value !== '') kept[name] = value.slice(0, LONGEST);
  }
  return kept;
}
