import { timeLimit } from '@culprit/core/connector';
import { SignInError } from './options.js';

const LIMIT_MS = 5_000;
/** Of one response; discovery documents, keys and tokens have a few kilobytes. */
const MAX_BYTES = 512 * 1024;

/** `fetch` for the provider: five seconds and 512 KiB for each response, no redirects. */
export async function boundedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signals = init.signal ? [init.signal] : [];
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: timeLimit(LIMIT_MS, ...signals),
    });
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const body = await readBounded(response);
    const headers = new Headers(response.headers);
    for (const name of ['content-encoding', 'content-length']) headers.delete(name);
    const empty = [204, 205, 304].includes(response.status);
    return new Response(empty ? null : body, { status: response.status, headers });
  } catch (error) {
    if (error instanceof SignInError) throw error;
    throw new SignInError('provider_unreachable', { cause: error });
  }
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new SignInError('answer_refused', { cause: new Error(`a response of over ${MAX_BYTES} bytes`) });
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
