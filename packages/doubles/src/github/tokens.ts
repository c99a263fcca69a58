import type { ControlParts } from './control.js';
import type { DoubleToken } from './options.js';
import type { World } from './rest/request.js';

/** The token of a request; `null` if it is unknown or expired. */
export function tokenOf(world: World, authorization: string | undefined): DoubleToken | null {
  const key = tokenIn(authorization);
  const token = Object.hasOwn(world.options.tokens, key) ? world.options.tokens[key] : undefined;
  if (!token || (token.expiresAt !== undefined && token.expiresAt <= world.state.now())) return null;
  return token;
}

/** `2022-08-14 08:15:54 UTC`, for personal tokens that expire. */
export function expiryOf(token: DoubleToken | null): Record<string, string> {
  if (token?.expiresAt === undefined || token.app) return {};
  const text = new Date(token.expiresAt).toISOString().slice(0, 19).replace('T', ' ');
  return { 'github-authentication-token-expiration': `${text} UTC` };
}

function tokenIn(authorization: string | undefined): string {
  return /^(?:token|bearer) (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** The token of this request expires, also for all others. */
export function expire({ options, clock }: ControlParts, authorization: string | undefined): void {
  const key = tokenIn(authorization);
  const token = options.tokens[key];
  if (token) options.tokens[key] = { ...token, expiresAt: clock.now() };
}
