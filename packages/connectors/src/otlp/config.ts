import * as v from 'valibot';
import { projectName } from '../shared/config.js';
import { serviceTokens } from '../shared/credentials.js';

/**
 * `tokens`: credentials of senders, each for one project. `services`: projects of services by their `service.name`, for a
 * collector that forwards many services with one token; any other service belongs to the token's project.
 */
export const otlpConfig = v.strictObject({
  tokens: serviceTokens,
  services: v.optional(v.array(v.strictObject({ service: v.string(), project: projectName })), []),
});
export type OtlpConfig = v.InferOutput<typeof otlpConfig>;
