export { fingerprintEvent, fingerprintsOf } from './fingerprints-of.js';
