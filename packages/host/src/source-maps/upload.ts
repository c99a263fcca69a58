import * as v from 'valibot';

/** A built file with a source map. */
const fileSchema = v.object({
  /** As the uploader names it, such as `~/assets/app.js`; `null` if only the map has been uploaded. */
  url: v.nullable(v.string()),
  debug_id: v.nullable(v.string()),
  /** SHA-256 of the map. */
  map: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes: v.number(),
});

/** What is stored of one upload, beside the maps. */
export const uploadSchema = v.object({
  format: v.literal('culprit.source-maps/1'),
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{24}$/)),
  project: v.string(),
  release: v.nullable(v.string()),
  dist: v.nullable(v.string()),
  /** ISO 8601. */
  uploaded_at: v.string(),
  files: v.array(fileSchema),
  /** Names of maps that could not be read, at most 20. */
  unreadable: v.array(v.string()),
});
export type MapFile = v.InferOutput<typeof fileSchema>;
export type Upload = v.InferOutput<typeof uploadSchema>;

/** An upload with the time of its last use. */
export interface KeptUpload extends Upload {
  /** ISO 8601; the time of the upload if it was never used. */
  readonly used_at: string;
}

/** Bytes of the distinct maps of uploads. */
export function bytesOf(uploads: readonly { readonly files: readonly MapFile[] }[]): number {
  const maps = new Map(uploads.flatMap(({ files }) => files.map(({ map, bytes }) => [map, bytes] as const)));
  return [...maps.values()].reduce((sum, bytes) => sum + bytes, 0);
}
