export { checkCrashObject } from '../crash-object/check-crash-object.js';
export { fitShape } from '../crash-object/fit-shape.js';
export { boundEvent, boundFingerprint, EVENT_BYTES, MIN_EVENT_BYTES } from './bound-event.js';
export { normalise } from './normalise.js';
export { titleOf } from './title-of.js';
