/** Limits of an edge whose senders all share one key and one address. */
export const UNLIMITED_RATES = {
  keyRate: 1e9,
  keyBurst: 1e9,
  doorRate: 1e9,
  doorBurst: 1e9,
  projectRate: 1e9,
  projectBurst: 1e9,
};
