import * as v from 'valibot';

const secretPlaceSchema = v.object({
  setting: v.pipe(v.string(), v.description('The setting that the secret belongs to.')),
  file: v.pipe(v.nullable(v.string()), v.description('Where it was generated; `null`: the setting has it.')),
  members: v.pipe(v.array(v.string()), v.readonly(), v.description('Those that lead to it in the file.')),
  exists: v.boolean(),
});

/** Who sends crashes of one project, and where its secrets are; it contains none. */
export const senderSchema = v.object({
  project: v.string(),
  key: v.pipe(v.nullable(v.string()), v.description('The public key of its DSN; `null`: it has none.')),
  service_token: secretPlaceSchema,
  hook_secret: secretPlaceSchema,
});

export type SecretPlace = v.InferOutput<typeof secretPlaceSchema>;
export type Sender = v.InferOutput<typeof senderSchema>;
