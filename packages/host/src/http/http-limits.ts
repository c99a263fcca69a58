import type { ArrivalLimits } from './arrivals.js';

export interface HttpLimits {
  /** A whole request, head to last byte, must arrive within this. */
  readonly requestMs: number;
  /** Complete requests that are handled at once, except GET and HEAD; further ones get 503. */
  readonly concurrent: number;
  /** Further ones, for senders that their head proves to be trusted. */
  readonly reserved: number;
  /** Unfinished requests of one address, unless the sender is trusted; the oldest gives way. */
  readonly addressRequests: number;
  /** Bytes in memory of unfinished bodies of senders who proved nothing: of one address, and of all. */
  readonly unverifiedBytes: number;
  readonly allUnverifiedBytes: number;
  /** Bytes in memory of unfinished bodies of all senders with a public key. */
  readonly publicKeyBytes: number;
  /** How long `close` waits for requests in progress. */
  readonly closeMs: number;
}

const KIB = 1024;
export const HTTP_LIMITS: HttpLimits = {
  requestMs: 10_000,
  concurrent: 512,
  reserved: 64,
  addressRequests: 128,
  unverifiedBytes: 64 * KIB,
  allUnverifiedBytes: 16 * KIB * KIB,
  publicKeyBytes: 64 * KIB * KIB,
  closeMs: 10_000,
};

/** The share of one address in {@link HttpLimits.publicKeyBytes}. */
const PUBLIC_SHARE = 8;

/** What is counted of arriving requests. Limits are read for each request. */
export const arrivalLimits = (limits: Partial<HttpLimits>) => (): ArrivalLimits => {
  const all = limits.publicKeyBytes ?? HTTP_LIMITS.publicKeyBytes;
  return {
    requests: limits.concurrent ?? HTTP_LIMITS.concurrent,
    addressRequests: limits.addressRequests ?? HTTP_LIMITS.addressRequests,
    bytes: {
      none: {
        address: limits.unverifiedBytes ?? HTTP_LIMITS.unverifiedBytes,
        all: limits.allUnverifiedBytes ?? HTTP_LIMITS.allUnverifiedBytes,
      },
      public: { address: all / PUBLIC_SHARE, all },
    },
  };
};
