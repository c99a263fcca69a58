import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';
import { failed } from '../shared/model/answer.js';
import { chatChunk } from './schema.js';

export interface Guards {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Maximum bytes of a response. */
  readonly mostBytes: number;
  /** True: every line must be a chat chunk. */
  readonly chat: boolean;
}

/** Bytes of an error response that are read for its reason. */
const REASON_BYTES = 2_048;

/**
 * `fetch` for the vendor's library. It also aborts before the response headers arrive (the library's `abort` covers only
 * responses that have started), follows no redirect, limits the bytes read, and passes on only complete, valid lines: the
 * library prints invalid lines to the console and buffers an endless one.
 */
export function guardedFetch({ fetch, signal, mostBytes, chat }: Guards): typeof globalThis.fetch {
  // Node 20 may garbage-collect a combined signal that is still in use (nodejs/node#57736).
  const held: AbortSignal[] = [];
  return async (input, init = {}) => {
    const ends = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    held.push(ends);
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal: ends, redirect: 'error' });
    } catch (error) {
      ends.throwIfAborted();
      throw failed('Ollama is unreachable', error);
    }
    if (!response.ok) throw failed(await reasonOf(response));
    const { body, headers, status } = response;
    if (body === null) return response;
    const guard = chat ? wholeLines(mostBytes) : byteLimit(mostBytes);
    return new Response(body.pipeThrough(guard), { headers, status });
  };
}

async function reasonOf(response: Response): Promise<string> {
  const text = await boundedText(response, REASON_BYTES).then(
    ({ text: some }) => some,
    () => '',
  );
  let reason = '';
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') reason = `: ${error.slice(0, 160)}`;
  } catch {
    // Not Ollama's own error format: the status must do.
  }
  if (response.status === 404 && /model/i.test(reason))
    return 'Ollama does not have the model; run ollama pull';
  return `Ollama returned ${response.status}${reason}`;
}

function byteLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > most) throw failed('the answer exceeded its size limit');
      controller.enqueue(chunk);
    },
  });
}

/** The lines of a streamed or unstreamed response. */
function wholeLines(most: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let seen = 0;
  let pieces: string[] = [];
  const flush = (controller: TransformStreamDefaultController<Uint8Array>) => {
    const line = pieces.join('');
    pieces = [];
    if (line.trim() === '') return;
    controller.enqueue(encoder.encode(`${JSON.stringify(chunkOf(line))}\n`));
  };
  return new TransformStream({
    transform(bytes, controller) {
      seen += bytes.byteLength;
      if (seen > most) throw failed('the answer exceeded its size limit');
      const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
      pieces.push(first);
      for (const piece of rest) {
        flush(controller);
        pieces.push(piece);
      }
    },
    flush(controller) {
      pieces.push(decoder.decode());
      flush(controller);
    },
  });
}

function chunkOf(line: string): v.InferOutput<typeof chatChunk> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw failed('Ollama’s response is not JSON');
  }
  const parsed = v.safeParse(chatChunk, value);
  if (!parsed.success) throw failed('Ollama sent an unreadable response');
  if (parsed.output.error !== undefined)
    throw failed(`Ollama reported: ${parsed.output.error.slice(0, 160)}`);
  return parsed.output;
}
