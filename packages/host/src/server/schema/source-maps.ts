import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

/** One upload in the response of `GET /api/v1/source-maps`. */
const sourceMapUploadSchema = v.object({
  id: v.string(),
  project: v.string(),
  release: about(v.nullable(v.string()), '`null`: found by debug id only.'),
  dist: v.nullable(v.string()),
  uploaded_at: v.string(),
  used_at: about(v.string(), 'The last use, to the hour; the upload if it was never used.'),
  kept_until: about(v.string(), 'When it is deleted, unless it is used before.'),
  files: about(v.number(), 'Built files with a map.'),
  bytes: about(v.number(), 'Of its maps. Maps that uploads have in common are stored once.'),
  names: about(v.array(v.string()), 'The first built files, at most 20.'),
  unreadable: about(v.array(v.string()), 'Maps that could not be read, at most 20.'),
});
export type SourceMapUpload = Readonly<v.InferOutput<typeof sourceMapUploadSchema>>;

/** The response of `GET /api/v1/source-maps`. */
export const sourceMapsSchema = v.object({
  uploads: v.array(sourceMapUploadSchema),
  used_bytes: about(v.number(), 'Of the projects that the credential may see.'),
  quota_bytes: about(v.number(), 'Of all projects together.'),
  project_quota_bytes: about(
    v.nullable(v.number()),
    'Of each project; `null`: projects have no quota of their own.',
  ),
  keep_ms: about(v.number(), 'How long an upload is kept after its last use.'),
  next: v.nullable(v.string()),
});
