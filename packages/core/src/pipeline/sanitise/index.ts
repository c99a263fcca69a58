export type { Finding } from './findings.js';
export { ISSUER_TOKENS, type IssuerToken } from './issuers.js';
export type { SanitiserRule } from './pattern-rule.js';
export { linearPattern } from './pattern-rule.js';
export {
  createSanitiser,
  Sanitiser,
  type SanitiserOptions,
  type ScrubRule,
  sanitiseJson,
  sanitiseText,
  standardSanitiser,
} from './sanitise.js';
