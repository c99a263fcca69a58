import type { Client } from '@culprit/client';
import type { Scope } from '@culprit/core/internal/domain/access';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { printError } from '../log/terminal.js';
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
    'For the configuration of an MCP client, which starts and stops this command. Standard output carries the protocol. Its tools read runs. An API token with the scope investigate adds tools that ask about the repository, one with the scope comment adds tools that comment on runs and pin them, and one with the scope gate2 adds a tool that edits drafts. No tool decides or publishes.',
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
  const scopes = await scopesOf(api);
  // Core's own rules have sanitised what it stored; the built-in ones apply again.
  const tools = { ...api, scrub: (dirty: string) => standardSanitiser.text(dirty).value };
  const server = serveStdio(() => createMcpServer(tools, packageVersion(), scopes));
  printError(`culprit: serving the runs of ${clientConfig(flags).core.url} over MCP\n`);
  await Promise.race([left, stopSignal()]);
  await server.close();
  return EXIT.done;
}

/** Only for an API token: a reviewer's own token reads. Without core, too: it may start later. Clients show standard error in their logs. */
async function scopesOf(api: Client): Promise<readonly Scope[]> {
  const me = await api.getSession().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    printError(`culprit: ${oneLine(why)} Tools fail until that is fixed. Then restart this server.\n`);
    return null;
  });
  return me?.token === undefined ? [] : me.scopes;
}
