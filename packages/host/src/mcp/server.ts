import { ApiError } from '@culprit/client';
import { isCulpritError } from '@culprit/core';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { answerText, untrusted } from './answer.js';
import { fixPrompt, INSTRUCTIONS } from './prompts.js';
import type { RunReads } from './reads.js';
import { getRun } from './run.js';
import { runResources } from './search-runs.js';
import { TOOLS } from './tools.js';

const MARKDOWN = 'text/markdown';
/** A client may treat what an open world returns as hostile: the texts are from anyone who can make a program crash. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

/** An MCP server for one connection or request. It only reads: no tool decides, edits or publishes. */
export function createMcpServer(reads: RunReads, version: string): McpServer {
  const server = new McpServer(
    { name: 'culprit', title: 'Culprit', version },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, title, description, input, call } of TOOLS) {
    server.registerTool(
      name,
      { title, description, inputSchema: toStandardJsonSchema(input), annotations: { title, ...READS } },
      async (given: unknown) => {
        try {
          return { content: [{ type: 'text' as const, text: await call(reads, given) }] };
        } catch (error) {
          return { isError: true, content: [{ type: 'text' as const, text: failure(error) }] };
        }
      },
    );
  }
  registerRuns(server, reads);
  server.registerPrompt(
    'fix_run',
    {
      title: 'Fix this run',
      description: 'Start a fix of a crash from its fix brief.',
      argsSchema: toStandardJsonSchema(v.object({ run_id: v.pipe(v.string(), v.maxLength(64)) })),
    },
    async ({ run_id }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: fixPrompt(await reads.brief(run_id)) } }],
    }),
  );
  return server;
}

/** `culprit://runs/RUN` and `culprit://runs/RUN/brief`. */
function registerRuns(server: McpServer, reads: RunReads): void {
  const text = (uri: URL, markdown: string) => ({
    contents: [{ uri: uri.href, mimeType: MARKDOWN, text: markdown }],
  });
  server.registerResource(
    'run',
    new ResourceTemplate('culprit://runs/{run_id}', { list: () => runResources(reads) }),
    { title: 'Run', description: 'A run as get_run shows it.', mimeType: MARKDOWN },
    async (uri, { run_id }) => text(uri, answerText(await getRun(reads, String(run_id)), reads.scrub)),
  );
  server.registerResource(
    'brief',
    new ResourceTemplate('culprit://runs/{run_id}/brief', { list: undefined }),
    { title: 'Fix brief', description: 'One page to start a fix of a run from.', mimeType: MARKDOWN },
    async (uri, { run_id }) => text(uri, await reads.brief(String(run_id))),
  );
}

/** An expected failure in the words of the API. Nothing else is told. */
function failure(error: unknown): string {
  const known = error instanceof ApiError || isCulpritError(error);
  return known
    ? `Failed with ${untrusted(error.code)}: ${untrusted(error.message, 'span', 400)}`
    : 'Failed with an internal error.';
}
