export { checkCrashObject } from '../crash-object/check-crash-object.js';
export { eventIdOf } from '../crash-object/event-id-of.js';
export { fitShape, SHAPE_LIMITS, type Shape } from '../crash-object/fit-shape.js';
export { crashObjectSchema } from '../crash-object/json-schema.js';
export { boundEvent, boundFingerprint, EVENT_BYTES, LEAST_EVENT_BYTES } from './bound-event.js';
export { guessInApp } from './in-app.js';
export { normalise } from './normalise.js';
export { titleOf } from './title-of.js';
