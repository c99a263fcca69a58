import type { Call } from '../call.js';
import type { Operations } from '../operations.js';

/** API tokens. */
export function tokenMethods(call: Call) {
  return {
    tokens: async () => (await call('listTokens', {})).tokens,
    /** Resolves with the secret, which core does not show again. */
    makeToken: (token: Operations['makeToken']['body']) => call('makeToken', { body: token }),
    revokeToken: (id: string) => call('revokeToken', { path: { id } }),
  };
}
