import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to `/chat/completions`. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly ToolCall[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly tool_choice?: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly response_format?: { readonly type: string };
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean };
  readonly reasoning_effort?: string;
}

export interface ToolCall {
  readonly id?: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/** What the double's model says where it may call tools. */
export interface Said {
  readonly content?: string;
  readonly calls?: readonly (readonly [name: string, given: unknown])[];
  /** More members of the message. */
  readonly more?: object;
  readonly finish?: string;
  /** False: the server does not count. */
  readonly usage?: boolean;
}

/** What the double's model writes if nothing stops it. `schema`: the server enforces the requested one. */
export type Writes = (request: CompletionRequest, schema: boolean) => string;

/**
 * The servers behind the same address, as each documents itself:
 * - `openai`: refuses members that it does not know (`Unknown parameter`) and, for its reasoning models, `max_tokens`,
 *   `temperature` and efforts that the model lacks (openai/openai-openapi, `CreateChatCompletionRequest`; reasoning guide).
 * - `vllm`: takes `chat_template_kwargs`, thinks without it and then has `content: null` and `reasoning`, enforces the schema (vllm-project/vllm
 *   issues 20976 and 47027, pull request 18879).
 * - `llamacpp`: the same members, thoughts in `reasoning_content`; its key is checked as a bearer token (ggml-org/llama.cpp, tools/server/README.md).
 * - `lmstudio`: enforces the schema, knows no way to turn thinking off, and takes what a thinking model writes under a schema for thoughts: `content` is
 *   empty, and the answer is in `reasoning_content` (lmstudio-ai/lmstudio-bug-tracker issues 1698 and 575).
 * - `plain`: ignores what it does not know, also the schema and thinking; writes its thoughts into the answer.
 * - `strict`: refuses extra members with 422 and names them (`extra_forbidden`), as servers built with pydantic do.
 * - `effort`: ignores `chat_template_kwargs`, as it ignores all that it does not know; thinks less only by `reasoning_effort`, of which it knows
 *   `low`, `medium`, `high` and `none` (ollama/ollama, openai/openai.go, for gpt-oss).
 */
export type Server = 'effort' | 'openai' | 'vllm' | 'llamacpp' | 'lmstudio' | 'plain' | 'strict';

export interface OpenaiDouble {
  readonly url: string;
  /** The requests that were answered, not those that were refused. */
  readonly answered: readonly CompletionRequest[];
  readonly refused: number;
  writes(next: Writes): void;
  /** What the model says where it may call tools; otherwise it writes as always. */
  says(next: (request: CompletionRequest) => Said): void;
  /** Answers every request so, instead. */
  fails(how: ((response: ServerResponse) => void) | null): void;
  /** What the server says that it is, in every answer. */
  serves(build: string): void;
  close(): Promise<void>;
}

export const MODEL = 'double-8b';
export const KEY = 'sk-double-0123456789';
const THOUGHTS = 'First I look at the error, then at the commits.';
/** Characters of one token, roughly. */
const TOKEN = 3;

export async function openaiDouble(kind: Server, first: Writes): Promise<OpenaiDouble> {
  const answered: CompletionRequest[] = [];
  let refused = 0;
  let writes = first;
  let fails: ((response: ServerResponse) => void) | null = null;
  let build: string | null = null;
  let says: ((request: CompletionRequest) => Said) | null = null;
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return json(response, 401, { error: { message: `Incorrect API key provided: ${KEY.slice(0, 8)}…` } });
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /v1/models')
      return kind === 'strict'
        ? json(response, 404, { detail: 'Not Found' })
        : json(response, 200, { object: 'list', data: [{ id: MODEL, object: 'model' }] });
    if (route !== 'POST /v1/chat/completions')
      return json(response, 404, { error: { message: 'not found' } });
    const asked = JSON.parse(await bodyOf(request)) as CompletionRequest;
    if (fails !== null) return fails(response);
    if (asked.model !== MODEL)
      return json(response, 404, {
        error: { message: `The model ${asked.model} does not exist`, code: 'model_not_found' },
      });
    const refusal = refusalOf(kind, asked);
    if (refusal !== null) {
      refused += 1;
      return json(response, kind === 'strict' ? 422 : 400, refusal);
    }
    answered.push(asked);
    const said = asked.tools && says ? says(asked) : null;
    json(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: asked.model,
      ...(build === null ? {} : { system_fingerprint: build }),
      choices: [said === null ? choiceOf(kind, asked, writes) : turnOf(said)],
      ...(said?.usage === false ? {} : { usage: { prompt_tokens: 700, completion_tokens: 30 } }),
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answered,
    get refused() {
      return refused;
    },
    writes: (next) => {
      writes = next;
    },
    says: (next) => {
      says = next;
    },
    fails: (how) => {
      fails = how;
    },
    serves: (next) => {
      build = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusalOf(kind: Server, asked: CompletionRequest): object | null {
  const unknown = (name: string) => ({ error: { message: `Unknown parameter: '${name}'.`, param: name } });
  const unsupported = (name: string, text: string) => ({
    error: { message: `Unsupported ${text}: '${name}' is not supported with this model.`, param: name },
  });
  if (kind === 'openai') {
    if (asked.chat_template_kwargs) return unknown('chat_template_kwargs');
    if (asked.reasoning_effort === 'none') return unsupported('reasoning_effort', 'value');
    if (asked.max_tokens !== undefined) return unsupported('max_tokens', 'parameter');
    if (asked.temperature !== undefined) return unsupported('temperature', 'value');
    if (asked.tool_choice !== undefined) return unsupported('tool_choice', 'value');
  }
  if (kind === 'effort' && !['low', 'none', undefined].includes(asked.reasoning_effort))
    return {
      error: {
        message: `invalid reasoning value: '${asked.reasoning_effort}' (must be "high", "medium", "low", or "none")`,
      },
    };
  if (kind !== 'strict') return null;
  const known = new Set(['model', 'messages', 'stream', 'max_tokens', 'temperature', 'seed']);
  const extra = Object.keys(asked).filter((name) => !known.has(name));
  if (extra.length === 0) return null;
  return { detail: extra.map((name) => ({ type: 'extra_forbidden', loc: ['body', name] })) };
}

let calls = 0;
function turnOf({ content, calls: made = [], more = {}, finish }: Said): object {
  const tool_calls = made.map(([name, given]) => {
    calls += 1;
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    return { id: `call_${calls}`, type: 'function', function: { name, arguments: text } };
  });
  const message = {
    role: 'assistant',
    content: content ?? null,
    ...(made.length === 0 ? {} : { tool_calls }),
    ...more,
  };
  return { index: 0, message, finish_reason: finish ?? (made.length === 0 ? 'stop' : 'tool_calls') };
}

function choiceOf(kind: Server, asked: CompletionRequest, writes: Writes): object {
  const enforces = ['effort', 'vllm', 'llamacpp', 'openai', 'lmstudio'].includes(kind);
  const schema = enforces && asked.response_format?.type === 'json_schema';
  const off =
    kind === 'openai'
      ? asked.reasoning_effort !== undefined
      : kind === 'effort'
        ? asked.reasoning_effort === 'low'
        : asked.chat_template_kwargs?.enable_thinking === false;
  const thinks = kind === 'plain' || ((kind === 'vllm' || kind === 'llamacpp' || kind === 'effort') && !off);
  const text = writes(asked, schema);
  const tokens = asked.max_tokens ?? asked.max_completion_tokens ?? Number.POSITIVE_INFINITY;
  // A server that keeps no limit is `plain`.
  const most = kind === 'plain' ? Number.POSITIVE_INFINITY : tokens * TOKEN;
  const cut = text.length > most;
  const content = cut ? text.slice(0, most) : text;
  if (kind === 'lmstudio') {
    const message = schema
      ? { role: 'assistant', content: '', reasoning_content: content }
      : { role: 'assistant', content, reasoning_content: THOUGHTS };
    return { index: 0, message, finish_reason: cut ? 'length' : 'stop' };
  }
  const message =
    kind === 'plain'
      ? { role: 'assistant', content: `<think>${THOUGHTS}</think>\n\n\`\`\`json\n${content}\n\`\`\`` }
      : thinks
        ? {
            role: 'assistant',
            content: null,
            [kind === 'vllm' ? 'reasoning' : 'reasoning_content']: THOUGHTS,
          }
        : { role: 'assistant', content };
  return { index: 0, message, finish_reason: cut || (thinks && kind !== 'plain') ? 'length' : 'stop' };
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
