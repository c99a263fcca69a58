import type { Client } from '@culprit/client';
import { printError } from '../log/terminal.js';
import { apiReads } from '../mcp/reads.js';
import { apiWrites, type RunWrites } from '../mcp/write-tools.js';
import { CLIENT_FLAGS, clientConfig, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { oneLine } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { stopSignal } from './stop-signal.js';
import { packageVersion } from './version.js';

export const usage: CommandUsage = {
  forms: ['mcp [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'For the configuration of an MCP client, which starts it and ends it. Standard output carries the protocol. Its tools read runs. With an API token that has the scope comment, two more comment on runs and propose changes of drafts. None decides, edits or publishes.',
  ],
};

/** Runs until the client closes standard input. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit mcp takes only flags.');
  const api = connect(flags);
  const [{ serveStdio }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../mcp/server.js'),
  ]);
  const left = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const writes = await writesOf(api);
  const server = serveStdio(() => createMcpServer(apiReads(api), packageVersion(), writes));
  printError(`culprit: serving the runs of ${clientConfig(flags).core.url} over MCP\n`);
  await Promise.race([left, stopSignal()]);
  await server.close();
  return EXIT.done;
}

/** Only for an API token: a reviewer's own token reads. Without core, too: it may start later. Clients show standard error in their logs. */
async function writesOf(api: Client): Promise<RunWrites | null> {
  const me = await api.getSession().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    printError(`culprit: ${oneLine(why)} Tools fail until that is mended. Then restart this server.\n`);
    return null;
  });
  return me?.token !== undefined && me.scopes.includes('comment') ? apiWrites(api) : null;
}
