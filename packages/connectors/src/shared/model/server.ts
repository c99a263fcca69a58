import { isCulpritError } from '@culprit/core/connector';
import { boundedText } from '../bounded-text.js';
import { failed } from './explainer.js';

interface ServerOptions {
  /** As errors name it. */
  readonly name: string;
  /** What precedes the paths. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 4_096;

/**
 * Requests to one model server. They end with the caller's signal, follow no redirect, and read no more bytes than is said.
 * Failures reject with `explainer_failed`, an aborted signal with its reason.
 */
export interface ModelServer {
  /** A GET, or with a body a POST of JSON. Its status may be any. */
  ask(path: string, body: object | null, signal: AbortSignal): Promise<Response>;
  /** The whole response. */
  text(response: Response, maxBytes: number, signal: AbortSignal): Promise<string>;
  parse(text: string): unknown;
  /** How a response that is not 2xx begins. */
  reason(response: Response, signal: AbortSignal): Promise<string>;
}

export function modelServer({ name, url, headers, fetch }: ServerOptions): ModelServer {
  const read = async (response: Response, maxBytes: number, signal: AbortSignal) => {
    try {
      return await boundedText(response, maxBytes);
    } catch (error) {
      signal.throwIfAborted();
      throw isCulpritError(error) ? error : failed(`${name}’s response was interrupted`, error);
    }
  };
  return {
    async ask(path, body, signal) {
      const request = {
        method: body === null ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      };
      try {
        return await fetch(`${url}${path}`, { ...request, signal, redirect: 'error' });
      } catch (error) {
        signal.throwIfAborted();
        throw failed(`${name} is unreachable`, error);
      }
    },
    async text(response, maxBytes, signal) {
      const { text, more } = await read(response, maxBytes, signal);
      if (more) throw failed('the answer exceeded its size limit');
      return text;
    },
    parse(text) {
      try {
        return JSON.parse(text);
      } catch {
        throw failed(`${name}’s response is not JSON`);
      }
    },
    reason: async (response, signal) => (await read(response, REASON_BYTES, signal)).text,
  };
}
