import { CulpritError } from '@culprit/core';
import type { Scope } from '@culprit/core/internal/domain/access';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import type { ToolAccess } from './server.js';

/** Serves one HTTP request for MCP. */
export type McpEndpoint = (
  api: ToolAccess,
  request: HttpRequest,
  /** Of the API token; none: the tools only read. */
  scopes: readonly Scope[],
) => Promise<HttpResponse>;

/**
 * MCP over HTTP, without sessions: one request, one answer, for clients of the 2026-07-28 specification and older ones. It is
 * JSON, since no tool sends anything before its result; for older clients it is one event. The SDK is loaded at the first request.
 */
export function mcpEndpoint(version: string): McpEndpoint {
  return async (api, request, scopes) => {
    const { createMcpHandler, createMcpServer } = await loadSdk();
    const handler = createMcpHandler(() => createMcpServer(api, version, scopes), {
      // A subscription is a stream without an end.
      maxSubscriptions: 0,
      keepAliveMs: 0,
    });
    const response = await handler.fetch(fetchRequest(request));
    const body = await response.text();
    await handler.close();
    const type = response.headers.get('content-type');
    return {
      status: response.status,
      headers: { ...(type === null ? {} : { 'content-type': type }), 'cache-control': 'no-store' },
      body,
    };
  };
}

/** Without credentials: they have been checked. */
function fetchRequest({ headers, body, signal }: HttpRequest): Request {
  const kept = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  const own = Object.fromEntries(kept.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  return new Request('http://culprit.invalid/mcp', {
    method: 'POST',
    headers: own,
    body: Buffer.from(body),
    signal,
  });
}

async function loadSdk() {
  try {
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./server.js'),
    ]);
    return { createMcpHandler, createMcpServer };
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const needed = 'MCP needs @modelcontextprotocol/server: npm install @modelcontextprotocol/server';
    throw new CulpritError('connector_missing', needed, { cause });
  }
}
