import { join, resolve } from 'node:path';
import type { Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { openSourceMaps, type SourceMapStore } from '../source-maps/store.js';

const MIB = 1024 * 1024;

/** The folder of uploaded source maps. Nothing is created before the first upload. */
export function composeSourceMaps(config: Config, logger: Logger): SourceMapStore {
  const { dataDirectory, sourceMapsDirectory, sourceMapsQuota, sourceMapsProjectQuota, sourceMapsRetention } =
    config;
  return openSourceMaps({
    directory:
      sourceMapsDirectory === null ? join(dataDirectory, 'source-maps') : resolve(sourceMapsDirectory),
    quotaBytes: sourceMapsQuota * MIB,
    projectQuotaBytes: sourceMapsProjectQuota === null ? null : sourceMapsProjectQuota * MIB,
    keepMs: sourceMapsRetention,
    logger,
  });
}
