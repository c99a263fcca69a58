export interface TokenBuckets {
  /** 0: taken. Otherwise how many milliseconds until the next token. */
  take(key: string): number;
  /** Keys whose bucket is not full. */
  activeKeys(): number;
  /** The most tokens that one key had used at once. */
  largest(): number;
  /** The most tokens that one key asked for within one second, in vain or not. */
  largestRate(): number;
  readonly allowed: number;
  readonly refused: number;
}

export interface BucketOptions {
  /** Tokens a second. */
  readonly rate: () => number;
  readonly burst: () => number;
  /** Keys remembered; the one used longest ago is forgotten first. */
  readonly maxKeys?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

interface Bucket {
  used: number;
  at: number;
  /** When the second began in which it last asked, and how often it has since. */
  second: number;
  asked: number;
}

/** One token bucket for each key, in bounded memory. */
export function createTokenBuckets({
  rate,
  burst,
  maxKeys = 10_000,
  now = () => performance.now(),
}: BucketOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  let allowed = 0;
  let refused = 0;
  let largest = 0;
  let largestRate = 0;
  const leak = (bucket: Bucket, at: number) => {
    bucket.used = Math.max(0, bucket.used - ((at - bucket.at) / 1_000) * rate());
    bucket.at = at;
  };
  const countAsked = (bucket: Bucket, at: number) => {
    if (at - bucket.second >= 1_000) {
      bucket.second = at;
      bucket.asked = 0;
    }
    bucket.asked++;
    largestRate = Math.max(largestRate, bucket.asked);
  };
  return {
    take(key) {
      const at = now();
      const bucket = buckets.get(key) ?? { used: 0, at, second: at, asked: 0 };
      // Puts it last, so that the first is always the one used longest ago.
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? '');
      leak(bucket, at);
      countAsked(bucket, at);
      if (bucket.used + 1 > burst()) {
        refused++;
        return Math.max(1, Math.ceil(((bucket.used + 1 - burst()) / rate()) * 1_000));
      }
      bucket.used++;
      allowed++;
      largest = Math.max(largest, Math.ceil(bucket.used));
      return 0;
    },
    activeKeys() {
      const at = now();
      for (const [key, bucket] of buckets) {
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
