import type { Call } from '../call.js';
import type { Operations } from '../operations.js';

/** Uploaded source maps. Uploads are what `culprit sourcemaps upload`, sentry-cli and bundler plugins send. */
export function sourceMapMethods(call: Call) {
  return {
    /** Newest first. */
    list: (query: NonNullable<Operations['listSourceMaps']['query']> = {}) =>
      call('listSourceMaps', { query }),
    delete: (id: string) => call('deleteSourceMaps', { path: { id } }),
  };
}
