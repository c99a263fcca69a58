/**
 * `@culprit/core/internal-rules`: what the edge's byte reader and its tests need of the sanitiser's rules and of the
 * crash object's table. Unstable: any release may change it. Nothing else may import it.
 */
export { SHAPE_LIMITS, type Shape } from './pipeline/crash-object/check-shape.js';
export { ANYTHING, CRASH, EXCEPTIONS, KIND, type ValueShape } from './pipeline/crash-object/crash-shape.js';
export { parseTimestamp } from './pipeline/normalise/time.js';
export { issuerToken } from './pipeline/sanitise/issuers.js';
export type { KeyFacts } from './pipeline/sanitise/key-facts.js';
export { goesByName, type LeafContext, touchesLeaf } from './pipeline/sanitise/leaf.js';
export { type CompiledRules, rulesOf, sanitiserFor } from './pipeline/sanitise/sanitise.js';
export { ESCAPED, scanInJson, scannedTo } from './pipeline/sanitise/scan.js';
export { createUnits } from './pipeline/sanitise/units.js';
