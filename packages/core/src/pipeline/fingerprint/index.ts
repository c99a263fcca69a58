export { type Fingerprints, fingerprintEvent, fingerprintsOf } from './fingerprints-of.js';
