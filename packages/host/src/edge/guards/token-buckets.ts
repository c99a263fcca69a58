export interface TokenBuckets {
  /** 0: taken. Otherwise how many milliseconds until the next token. */
  take(key: string): number;
  /** Keys whose bucket is not full. */
  activeKeys(): number;
  /** The most tokens that one key had used at once. */
  largest(): number;
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
  const leak = (bucket: Bucket, at: number) => {
    bucket.used = Math.max(0, bucket.used - ((at - bucket.at) / 1_000) * rate());
    bucket.at = at;
  };
  return {
    take(key) {
      const at = now();
      const bucket = buckets.get(key) ?? { used: 0, at };
      // Puts it last, so that the first is always the one used longest ago.
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? '');
      leak(bucket, at);
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
    get allowed() {
      return allowed;
    },
    get refused() {
      return refused;
    },
  };
}
