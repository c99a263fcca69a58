export { FINGERPRINT_VERSION, fingerprintEvent } from './fingerprint-event.js';
export { type FingerprintAlgorithm, fingerprintsOf } from './fingerprints-of.js';
