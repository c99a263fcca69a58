import { CulpritError } from '@culprit/core';
import type { SourceMapStore } from '../../source-maps/store.js';
import { bytesOf, type KeptUpload } from '../../source-maps/upload.js';
import { operation } from '../operation.js';
import { pageOf } from '../paging.js';
import { isWithin } from '../permit.js';
import type { CoreRoute } from '../route.js';
import { type SourceMapUpload, sourceMapsSchema } from '../schema/source-maps.js';

const NAMES = 20;

/** Uploaded source maps. They are uploaded as sentry-cli does: see `sentry-api/artifact-routes.ts`. */
export function sourceMapRoutes(store: SourceMapStore | null): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/source-maps',
      scope: 'read',
      reach: 'projects',
      id: 'listSourceMaps',
      summary: 'List uploaded source maps',
      query: { project: 'Only this project', release: 'Only this release' },
      pages: 'optional',
      what: 'Newest uploads first',
      schema: sourceMapsSchema,
      async run({ request: { query }, within }) {
        const { project, release } = query;
        const all = (await store?.uploads()) ?? [];
        const seen = all.filter((upload) => isWithin(within, upload.project));
        const fits = (upload: KeptUpload) =>
          (!project || upload.project === project) && (!release || upload.release === release);
        const { page, next } = pageOf(seen.filter(fits), query, ({ id }) => id);
        return {
          uploads: page.map((upload) => shown(upload, store?.keepMs ?? 0)),
          used_bytes: bytesOf(seen),
          quota_bytes: store?.quotaBytes ?? 0,
          project_quota_bytes: store?.projectQuotaBytes ?? null,
          keep_ms: store?.keepMs ?? 0,
          next,
        };
      },
    }),
    operation({
      at: 'DELETE /api/v1/source-maps/:id',
      scope: 'release',
      reach: 'projects',
      id: 'deleteSourceMaps',
      summary: 'Delete an upload of source maps',
      what: 'Deleted',
      problems: ['not_found'],
      async run({ request, within }) {
        const { id = '' } = request.params;
        const known = (await store?.uploads())?.find((upload) => upload.id === id);
        if (known === undefined || !isWithin(within, known.project))
          throw (known && within.refusal(known.project)) ?? absent();
        await store?.remove(id);
      },
    }),
  ];
}

function absent(): CulpritError {
  return new CulpritError('not_found', 'There is no upload of source maps with this id.');
}

function shown(upload: KeptUpload, keepMs: number): SourceMapUpload {
  const { id, project, release, dist, uploaded_at, used_at, files, unreadable } = upload;
  const names = files.flatMap(({ url, debug_id }) => url ?? debug_id ?? []);
  return {
    id,
    project,
    release,
    dist,
    uploaded_at,
    used_at,
    kept_until: new Date(Date.parse(used_at) + keepMs).toISOString(),
    files: files.length,
    bytes: bytesOf([upload]),
    names: names.slice(0, NAMES),
    unreadable,
  };
}
