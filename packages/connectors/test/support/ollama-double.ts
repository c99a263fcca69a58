import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to `/api/chat`, as described in Ollama's documentation. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_name?: string;
    readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
  }[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
  readonly format?: unknown;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly keep_alive?: string | number;
  readonly think?: boolean | string;
  readonly truncate?: boolean;
}

/** What a behaviour uses to respond. */
export interface Exchange {
  readonly request: ChatRequest;
  readonly response: ServerResponse;
  /** The pieces of evidence in the prompt. */
  readonly evidence: readonly { readonly id: string; readonly text: string }[];
  /** Starts the response in the requested format: NDJSON, or JSON with `stream: false`. */
  begin(): void;
  /** Sends one token of a streamed response. */
  token(content: string): boolean;
  /** Spends the whole budget on thoughts. */
  think(): void;
  /** Sends the whole response, streamed or in one piece, and ends it. */
  say(content: string, reason?: string): void;
  /** Calls tools, in chunks of their own, as Ollama does. */
  call(...calls: readonly (readonly [name: string, given: object])[]): void;
  /** Ends a streamed response. */
  done(reason?: string): void;
  /** Runs `work` at this interval in ms until the client disconnects. */
  every(ms: number, work: () => void): void;
}
export type Behaviour = (exchange: Exchange) => void;

export interface OllamaDouble {
  readonly url: string;
  readonly chats: readonly ChatRequest[];
  /** Connections that the client closed before the end of the response. */
  readonly abandoned: number;
  behave(behaviour: Behaviour): void;
  /** What `/api/show` says that the model can do; `null`: a server that does not say. */
  can(capabilities: readonly string[] | null, family?: string, size?: string): void;
  /** Tokens of the model's own context, which bounds `num_ctx`. */
  context(tokens: number): void;
  close(): Promise<void>;
}

export const MODEL = 'double:1b';

/** Characters of one token, roughly. */
const TOKEN = 3;

/**
 * Ollama's documented HTTP API (`/api/version`, `/api/tags`, `/api/show`, `/api/chat`, streamed and not), with any behaviour.
 * As in `ollama/ollama`: a model that can think does so unless `think` is false (server/routes.go, ChatHandler); gpt-oss knows only
 * levels and ignores true and false, and other models refuse levels (docs.ollama.com/capabilities/thinking; server/routes.go); a long prompt
 * loses its beginning unless `truncate` is false (the same; runner: errorInputTooLong); a text `keep_alive` is a Go duration
 * with units (api/types.go, Duration.UnmarshalJSON); a model without the capability refuses tools (server/routes.go).
 */
export async function ollamaDouble(first: Behaviour): Promise<OllamaDouble> {
  const chats: ChatRequest[] = [];
  let behaviour = first;
  let context = 131_072;
  let capabilities: readonly string[] | null = ['completion'];
  let family = 'double';
  let size = '1B';
  let abandoned = 0;
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /api/version') return json(response, 200, { version: '0.12.0' });
    if (route === 'GET /api/tags') {
      const details = { family: 'double', parameter_size: '1B', quantization_level: 'Q4_0' };
      const model = { name: MODEL, model: MODEL, modified_at: '2026-01-01T00:00:00Z', size: 1, details };
      return json(response, 200, { models: [{ ...model, digest: 'd'.repeat(64) }] });
    }
    if (route === 'POST /api/show') {
      const { model } = JSON.parse(await bodyOf(request)) as { model: string };
      if (model !== MODEL) return json(response, 404, { error: `model '${model}' not found` });
      return json(response, 200, {
        details: { family, parameter_size: size },
        model_info: {},
        ...(capabilities && { capabilities }),
      });
    }
    if (route !== 'POST /api/chat') return json(response, 404, { error: 'not found' });
    const chat = JSON.parse(await bodyOf(request)) as ChatRequest;
    chats.push(chat);
    response.on('close', () => {
      if (!response.writableEnded) abandoned += 1;
    });
    if (chat.model !== MODEL) return json(response, 404, { error: `model '${chat.model}' not found` });
    const problem = rejected(chat, context);
    if (problem !== null) return json(response, 400, { error: problem });
    if (chat.tools && capabilities?.includes('tools') !== true)
      return json(response, 400, { error: `registry.ollama.ai/library/${MODEL} does not support tools` });
    const exchange = exchangeOf(chat, response);
    const thinks = capabilities?.includes('thinking') === true;
    // The second has levels, too, and does not name its family.
    const levels = ['gptoss', 'unnamed'].includes(family);
    if (typeof chat.think === 'string' && !levels)
      return json(response, 400, { error: `think value "${chat.think}" is not supported for this model` });
    if (thinks && (levels ? chat.think !== 'low' : chat.think !== false)) return exchange.think();
    behaviour(exchange);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chats,
    get abandoned() {
      return abandoned;
    },
    context: (tokens) => {
      context = tokens;
    },
    can: (next, of = 'double', parameters = '1B') => {
      capabilities = next;
      family = of;
      size = parameters;
    },
    behave: (next) => {
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function rejected({ keep_alive, truncate, messages, options }: ChatRequest, context: number): string | null {
  if (typeof keep_alive === 'string' && !/^-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+$/.test(keep_alive))
    return `time: missing unit in duration "${keep_alive}"`;
  const tokens = messages.reduce((sum, { content }) => sum + content.length, 0) / TOKEN;
  const tooLong = tokens > Math.min(context, Number(options?.num_ctx ?? 4_096));
  return tooLong && truncate === false ? 'the input length exceeds the context length' : null;
}

function exchangeOf(request: ChatRequest, response: ServerResponse): Exchange {
  const streamed = request.stream !== false;
  const chunk = (content: string, more: object) =>
    `${JSON.stringify({ model: request.model, created_at: '2026-01-05T09:00:00Z', message: { role: 'assistant', content }, ...more })}\n`;
  const figures = {
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: 1,
    eval_count: 1,
    eval_duration: 1,
  };
  const exchange: Exchange = {
    request,
    response,
    evidence: evidenceIn(request.messages.at(-1)?.content ?? ''),
    begin: () => {
      response.writeHead(200, { 'content-type': streamed ? 'application/x-ndjson' : 'application/json' });
      response.flushHeaders();
    },
    token: (content) => response.write(chunk(content, { done: false })),
    think: () => {
      exchange.begin();
      const message = { role: 'assistant', content: '', thinking: 'First I look at the error.' };
      response.end(chunk('', { message, done: true, done_reason: 'length', ...figures }));
    },
    call: (...calls) => {
      exchange.begin();
      for (const [name, given] of calls) {
        const tool_calls = [{ function: { name, arguments: given } }];
        response.write(chunk('', { message: { role: 'assistant', content: '', tool_calls }, done: false }));
      }
      exchange.done();
    },
    done: (reason = 'stop') => void response.end(chunk('', { done: true, done_reason: reason, ...figures })),
    say: (content, reason = 'stop') => {
      exchange.begin();
      if (!streamed)
        return void response.end(chunk(content, { done: true, done_reason: reason, ...figures }));
      for (const piece of content.match(/[\s\S]{1,12}/g) ?? []) exchange.token(piece);
      exchange.done(reason);
    },
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      response.on('close', () => clearInterval(timer));
    },
  };
  return exchange;
}

/** The fenced blocks of the prompt. */
function evidenceIn(prompt: string): Exchange['evidence'] {
  const blocks = prompt.matchAll(/^BEGIN (\w+) evidence ("[^\n]*?") \([^\n]*\)\n([\s\S]*?)\nEND \1$/gm);
  return [...blocks].map(([, , id = '""', text = '']) => ({ id: JSON.parse(id) as string, text }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
