import { ApiError } from '@culprit/client';
import type { Scope } from '@culprit/core/internal/domain/access';
import { McpServer, ResourceTemplate, type ToolAnnotations } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { answerText, untrusted } from './answer.js';
import { argumentsOf } from './arguments.js';
import { fixPrompt, instructionsFor, investigatePrompt } from './prompts.js';
import { QUESTION_TOOLS, type RunQuestions } from './question-tools.js';
import { getRun } from './run.js';
import { runResources } from './search-runs.js';
import { type RunReads, TOOLS, type Tool } from './tools.js';
import { type RunWrites, WRITE_TOOLS, type WriteTool } from './write-tools.js';

const MARKDOWN = 'text/markdown';
/** A client may treat what an open world returns as hostile: the texts are from anyone who can make a program crash. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;
const writeHints = ({ destructive, idempotent }: WriteTool) => ({
  readOnlyHint: false,
  destructiveHint: destructive,
  idempotentHint: idempotent,
  openWorldHint: true,
});

/** The lists never change, and over HTTP there is no stream that could announce a change. */
const FIXED = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
};

/** The API's client as the tools call it. */
export type ToolAccess = RunReads & RunQuestions & RunWrites;

/** An MCP server for one connection or request. `scopes`: of the API token; none: the tools only read. No tool decides or publishes. */
export function createMcpServer(api: ToolAccess, version: string, scopes: readonly Scope[] = []): McpServer {
  const writes = WRITE_TOOLS.filter(({ scope }) => scopes.includes(scope));
  const server = new McpServer(
    { name: 'culprit', title: 'Culprit', version },
    { instructions: instructionsFor(writes.map(({ name }) => name)), capabilities: FIXED },
  );
  for (const tool of TOOLS) registerTool(server, tool, api, READS);
  const asks = QUESTION_TOOLS.filter(({ scope }) => scopes.includes(scope));
  for (const tool of asks) registerTool(server, tool, api, READS);
  for (const tool of writes) registerTool(server, tool, api, writeHints(tool));
  registerRuns(server, api);
  server.registerPrompt(
    'fix_run',
    {
      title: 'Fix this run',
      description: 'Start a fix of a crash from its fix brief.',
      argsSchema: argumentsOf(v.strictObject({ run_id: v.pipe(v.string(), v.maxLength(64)) })),
    },
    async ({ run_id }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: fixPrompt(await withFailureText(() => api.getBrief({ run_id }))) },
        },
      ],
    }),
  );
  if (scopes.includes('investigate')) registerInvestigating(server);
  return server;
}

function registerInvestigating(server: McpServer): void {
  server.registerPrompt(
    'investigate_run',
    {
      title: 'Investigate this run',
      description: 'Find the commit that caused a crash, and hand it in.',
      argsSchema: argumentsOf(v.strictObject({ run_id: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)) })),
    },
    ({ run_id }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: investigatePrompt(run_id) } }],
    }),
  );
}

function registerTool<Access>(
  server: McpServer,
  { name, title, description, input, call }: Tool<Access>,
  access: Access,
  hints: ToolAnnotations,
): void {
  server.registerTool(
    name,
    { title, description, inputSchema: argumentsOf(input), annotations: { title, ...hints } },
    async (given: unknown) => answerOf(() => call(access, given)),
  );
}

async function answerOf(work: () => Promise<string>) {
  try {
    return { content: [{ type: 'text' as const, text: await work() }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text' as const, text: failure(error) }] };
  }
}

/** The same for what is no tool: the SDK sends the message of an error as it is. */
async function withFailureText<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(failure(error));
  }
}

/** `culprit://runs/RUN` and `culprit://runs/RUN/brief`. */
function registerRuns(server: McpServer, reads: RunReads): void {
  const text = (uri: URL, markdown: string) => ({
    contents: [{ uri: uri.href, mimeType: MARKDOWN, text: markdown }],
  });
  server.registerResource(
    'run',
    new ResourceTemplate('culprit://runs/{run_id}', {
      list: () => withFailureText(() => runResources(reads)),
    }),
    { title: 'Run', description: 'A run as get_run shows it.', mimeType: MARKDOWN },
    async (uri, { run_id }) =>
      text(uri, answerText(await withFailureText(() => getRun(reads, String(run_id))), reads.scrub)),
  );
  server.registerResource(
    'brief',
    new ResourceTemplate('culprit://runs/{run_id}/brief', { list: undefined }),
    { title: 'Fix brief', description: 'One page to start a fix of a run from.', mimeType: MARKDOWN },
    async (uri, { run_id }) =>
      text(uri, await withFailureText(() => reads.getBrief({ run_id: String(run_id) }))),
  );
}

/** An expected failure in the words of the API. Of any other nothing is said. */
function failure(error: unknown): string {
  return error instanceof ApiError
    ? `Failed with ${untrusted(error.code)}: ${untrusted(error.message, 'span', 400)}`
    : 'Failed with an internal error.';
}
