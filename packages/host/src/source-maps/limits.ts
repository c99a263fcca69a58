const MIB = 1024 * 1024;

/** Limits of uploaded source maps. */
export const SOURCE_MAP_LIMITS = {
  /** Bytes of one chunk before compression. */
  chunkBytes: MIB,
  /** Chunks of one request. */
  chunksPerRequest: 4,
  /** Chunks of one archive. */
  chunks: 512,
  /** Requests with chunks that are received at once, of all credentials and of each. Of each, so many more may wait. */
  requestsAtOnce: 16,
  requestsEach: 4,
  requestsWaitingEach: 64,
  /** Bytes that are read of a request that waits. */
  waitingBytes: 16 * 1024,
  /** A request that has kept core waiting for this long must have sent at least so much for each further second. */
  slowMs: 5_000,
  slowBytesPerSecond: 16 * 1024,
  /** Chunks of all archives that are not finished, and of those of each credential. */
  keptChunks: 8_192,
  keptChunksEach: 1_024,
  /** Entries of one archive. */
  entries: 20_000,
  /** Bytes of the archive's `manifest.json`. */
  manifestBytes: 16 * MIB,
  /** Bytes of one source map. */
  mapBytes: 200 * MIB,
  /** Bytes of all source maps of one archive together. */
  archiveMapBytes: 1024 * MIB,
  /** Built files of one upload, and of all uploads together: their names are kept in memory. */
  files: 5_000,
  allFiles: 200_000,
  /** Projects of one upload. */
  projects: 10,
  /** Source maps read for one crash. */
  mapsPerCrash: 8,
  /** How long leftovers of uploads that were not finished are kept. */
  leftoverMs: 24 * 60 * 60_000,
  /** An upload that was not used for this long gives way to a new one if the quota is reached. */
  restingMs: 7 * 24 * 60 * 60_000,
  /** Time limits of reading one map, and of unpacking one archive. */
  readMs: 30_000,
  unpackMs: 300_000,
} as const;
