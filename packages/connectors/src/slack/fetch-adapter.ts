import type { WebClientOptions } from '@slack/web-api';
import { boundedText } from '../shared/bounded-text.js';

type Adapter = NonNullable<WebClientOptions['adapter']>;

/** Maximum bytes of a response. A Web API response to our calls takes a few kilobytes. */
const ANSWER_BYTES = 1_048_576;

/** Makes Slack's library use `fetch`, follow no redirect, and end with the signal. */
export function fetchAdapter(fetch: typeof globalThis.fetch, signal: AbortSignal): Adapter {
  return async (config) => {
    const response = await fetch(String(config.url), {
      method: 'POST',
      headers: textHeaders(config.headers.toJSON()),
      body: String(config.data ?? ''),
      redirect: 'manual',
      signal,
    });
    const { text, more } = await boundedText(response, ANSWER_BYTES);
    if (more) throw new Error('the response exceeded its size limit');
    return {
      data: text,
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      config,
      // Slack's library reads the path of the request.
      request: { path: new URL(String(config.url)).pathname },
    };
  };
}

function textHeaders(headers: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(given) as Record<string, string>;
}
