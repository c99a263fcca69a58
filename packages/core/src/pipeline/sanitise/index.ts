export type { Finding } from './findings.js';
export { linearPattern } from './linear-pattern.js';
export type { SanitiserRule } from './rules.js';
export {
  createSanitiser,
  type ExtraRule,
  type Sanitiser,
  type SanitiserOptions,
  sanitiseJson,
  sanitiseText,
} from './sanitise.js';
