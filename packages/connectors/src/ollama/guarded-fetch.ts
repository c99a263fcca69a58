import * as v from 'valibot';
import { failed } from './map.js';
import { chatChunk } from './schema.js';

export interface Guards {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Bytes read of an answer. */
  readonly mostBytes: number;
  /** True: every line must be a chat chunk. */
  readonly chat: boolean;
}

/** Bytes of a refusal that are read for its reason. */
const REASON_BYTES = 2_048;

/**
 * `fetch` for the vendor's library. It ends with the signal also before the answer's head is there (the library's `abort`
 * knows only answers that have begun), goes nowhere else than asked, reads no more than it may, and hands on whole, valid
 * lines alone: the library prints others to the console and keeps an endless one.
 */
export function guardedFetch({ fetch, signal, mostBytes, chat }: Guards): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const ends = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal: ends, redirect: 'error' });
    } catch (error) {
      ends.throwIfAborted();
      throw failed('Ollama does not answer', error);
    }
    if (!response.ok) throw failed(await reasonOf(response));
    const { body, headers, status } = response;
    if (body === null) return response;
    const guard = chat ? wholeLines(mostBytes) : byteLimit(mostBytes);
    return new Response(body.pipeThrough(guard), { headers, status });
  };
}

async function reasonOf(response: Response): Promise<string> {
  const text = await readSome(response, REASON_BYTES).catch(() => '');
  let said = '';
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') said = `: ${error.slice(0, 160)}`;
  } catch {
    // Not Ollama's own error: the status has to do.
  }
  if (response.status === 404 && /model/i.test(said)) return 'Ollama does not have the model; pull it';
  return `Ollama answered ${response.status}${said}`;
}

async function readSome({ body }: Response, most: number): Promise<string> {
  let text = '';
  if (body === null) return text;
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length >= most) break;
  }
  return text.slice(0, most);
}

function byteLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > most) throw failed('the answer is longer than its limit');
      controller.enqueue(chunk);
    },
  });
}

/** Lines of a streamed answer, or the one of an answer in one piece. */
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
      if (seen > most) throw failed('the answer is longer than its limit');
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
    throw failed('Ollama’s answer is not JSON');
  }
  const parsed = v.safeParse(chatChunk, value);
  if (!parsed.success) throw failed('Ollama’s answer has an unknown shape');
  if (parsed.output.error !== undefined) throw failed(`Ollama said: ${parsed.output.error.slice(0, 160)}`);
  return parsed.output;
}
