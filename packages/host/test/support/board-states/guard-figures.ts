/** Guard figures of an edge under some load. `started_at`: ISO 8601; `step`: a minute. */
export function guardFigures(started_at: string, step: number): object {
  const limit = (name: string, unit: string, value: number, refused: number, rest: object = {}) => ({
    name,
    door: null,
    unit,
    value,
    allowed: 48_211 + step * 37,
    refused,
    active_keys: null,
    largest: null,
    ...rest,
  });
  return {
    url: 'https://edge.culprit.example',
    started_at,
    spool: {
      depth: Math.round(14 + 11 * Math.sin(step)),
      bytes: 131_072,
      oldest_age_ms: 180 + 40 * (step % 5),
    },
    forwarder: { state: 'sending', last_error: null },
    dead_letters: 0,
    crashes: 48_211 + step * 37,
    limits: [
      limit('body_sent', 'bytes', 5_242_880, 3, { door: 'sdk', largest: 412_330 }),
      limit('key_rate', 'per_second', 1_000, 214, { active_keys: 6 }),
      limit('address_burst', 'burst', 1_000, 0, { active_keys: 41, largest: 97 }),
      limit('concurrent_requests', 'requests', 512, 0, { largest: 38 }),
      limit('request_time', 'ms', 10_000, 1, { largest: 10_000 }),
    ],
    outcomes: {
      webhook: { accepted: 8_120 + step * 4, duplicate: 12 },
      native: { accepted: 31_882 + step * 31, rate_limited: 214 },
      sdk: { accepted: 8_209 + step * 2, too_large: 3 },
    },
    dropped: { session: 1_204, transaction: 88 },
  };
}
