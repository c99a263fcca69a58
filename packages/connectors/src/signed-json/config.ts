import * as v from 'valibot';
import { projectSecrets } from '../shared/config.js';
import { serviceTokens } from '../shared/service-tokens.js';

/** Several secrets may be active at once, for one project or many. An empty list closes the endpoint. */
export const errortrackerConfig = v.strictObject({
  secrets: projectSecrets,
});
export type ErrortrackerConfig = v.InferOutput<typeof errortrackerConfig>;

export const nativeConfig = v.strictObject({ tokens: serviceTokens });
