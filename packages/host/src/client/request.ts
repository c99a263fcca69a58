import { ApiError } from './api-error.js';

/** `fetch` that rejects with {@link ApiError} (`unreachable`) if there is no response. */
export async function request(
  url: string,
  { fetch = globalThis.fetch, ...init }: RequestInit & { readonly fetch?: typeof globalThis.fetch },
): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: string } };
    const why = name === 'TimeoutError' ? ' in time' : cause?.code === undefined ? '' : ` (${cause.code})`;
    throw new ApiError(0, 'unreachable', `${new URL(url).origin} does not respond${why}.`);
  }
}
