import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';

export interface TokenBuckets {
  /** Takes `count` tokens, by default one. Returns 0, or takes none and returns the milliseconds until they are available. */
  take(key: string, count?: number): number;
  /** Keys that have used tokens. */
  activeKeys(): number;
  /** Peak of the tokens used by one key. */
  largest(): number;
  /** Peak of the tokens that one key requested within one second, granted or not. */
  largestRate(): number;
  readonly allowed: number;
  readonly refused: number;
}

export interface BucketOptions {
  /** Tokens per second. */
  readonly rate: () => number;
  readonly burst: () => number;
  /** Maximum number of keys; the least recently used is removed first. */
  readonly maxKeys?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

interface Bucket {
  used: number;
  at: number;
  /** Start of the current second, and the requests within it. */
  second: number;
  asked: number;
}

/** One token bucket per key, in bounded memory. */
export function createTokenBuckets({
  rate,
  burst,
  maxKeys = 10_000,
  now = () => performance.now(),
}: BucketOptions): TokenBuckets {
  const buckets = boundedMap<string, Bucket>(maxKeys);
  let allowed = 0;
  let refused = 0;
  let largest = 0;
  let largestRate = 0;
  const leak = (bucket: Bucket, at: number) => {
    bucket.used = Math.max(0, bucket.used - ((at - bucket.at) / 1_000) * rate());
    bucket.at = at;
  };
  const countAsked = (bucket: Bucket, at: number, count: number) => {
    if (at - bucket.second >= 1_000) {
      bucket.second = at;
      bucket.asked = 0;
    }
    bucket.asked += count;
    largestRate = Math.max(largestRate, bucket.asked);
  };
  return {
    take(key, count = 1) {
      const at = now();
      const known = buckets.get(key);
      const bucket = known ?? { used: 0, at, second: at, asked: 0 };
      if (known === undefined) buckets.set(key, bucket);
      leak(bucket, at);
      countAsked(bucket, at, count);
      if (bucket.used + count > burst()) {
        refused += count;
        return Math.max(1, Math.ceil(((bucket.used + count - burst()) / rate()) * 1_000));
      }
      bucket.used += count;
      allowed += count;
      largest = Math.max(largest, Math.ceil(bucket.used));
      return 0;
    },
    activeKeys() {
      const at = now();
      for (const [key, bucket] of [...buckets.entries()]) {
        leak(bucket, at);
        if (bucket.used === 0) buckets.delete(key);
      }
      return buckets.size;
    },
    largest: () => largest,
    largestRate: () => largestRate,
    get allowed() {
      return allowed;
    },
    get refused() {
      return refused;
    },
  };
}
