import * as v from 'valibot';

/** One upload in the response of `GET /api/v1/source-maps`. */
export const sourceMapUploadSchema = v.object({
  id: v.string(),
  project: v.string(),
  release: v.pipe(v.nullable(v.string()), v.description('`null`: found by debug id only.')),
  dist: v.nullable(v.string()),
  uploaded_at: v.string(),
  used_at: v.pipe(v.string(), v.description('The last use, to the hour; the upload if it was never used.')),
  kept_until: v.pipe(v.string(), v.description('When it is deleted, unless it is used before.')),
  files: v.pipe(v.number(), v.description('Built files with a map.')),
  bytes: v.pipe(v.number(), v.description('Of its maps. Maps that uploads have in common are stored once.')),
  names: v.pipe(v.array(v.string()), v.description('The first built files, at most 20.')),
  unreadable: v.pipe(v.array(v.string()), v.description('Maps that could not be read, at most 20.')),
});
export type SourceMapUpload = Readonly<v.InferOutput<typeof sourceMapUploadSchema>>;

/** The response of `GET /api/v1/source-maps`. */
export const sourceMapsSchema = v.object({
  uploads: v.array(sourceMapUploadSchema),
  used_bytes: v.pipe(v.number(), v.description('Of the projects that the credential may see.')),
  quota_bytes: v.pipe(v.number(), v.description('Of all projects together.')),
  project_quota_bytes: v.pipe(
    v.nullable(v.number()),
    v.description('Of each project; `null`: projects have no quota of their own.'),
  ),
  keep_ms: v.pipe(v.number(), v.description('How long an upload is kept after its last use.')),
  next: v.nullable(v.string()),
});
