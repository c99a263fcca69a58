import type { Door } from './event.js';

/** All trusts of an occurrence, most trusted first. */
export const TRUSTS = ['trusted', 'untrusted'] as const;
/**
 * Whether a delivery's credential is a secret: a signature, a service token or the embedding program itself (`trusted`), or a
 * public key that anyone may have (`untrusted`).
 */
export type Trust = (typeof TRUSTS)[number];

const DOOR_TRUST: Readonly<Record<Door, Trust>> = {
  webhook: 'trusted',
  native: 'trusted',
  embedded: 'trusted',
  sdk: 'untrusted',
};

/** The stated trust; if none is stated (deliveries and events stored before trust was), the trust of the door. */
export function trustOf({ door, trust }: { readonly door: Door; readonly trust?: Trust | undefined }): Trust {
  return trust ?? DOOR_TRUST[door];
}
