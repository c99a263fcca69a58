import { ApiError, type CallOptions, createClient } from '@culprit/client';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, withToken } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['link [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'The link signs in on the board as the reviewer token of REVIEWER_TOKENS or of the generated secrets: once, within 15 minutes.',
  ],
};

/** Prints a link that signs in once. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit link takes only flags.');
  const { core, token } = withToken(flags);
  const link = await makeLink(core.url, token);
  if (flags.has('json')) printJson(link);
  else print(`${link.url}\n`);
  return EXIT.done;
}

/** @throws `unreadable` if another program answers. */
async function makeLink(coreUrl: string, token: string, options: CallOptions = {}) {
  const link = await createClient({ url: coreUrl, ...options }).makeSignInLink({ token });
  if (typeof link?.url === 'string') return link;
  throw new ApiError(200, 'unreadable', `${coreUrl} sent a reply that is not Culprit’s: no link.`);
}

/** Beside a link. */
export const ONCE = '(works once, within 15 minutes)';

/** A link for the banner, beside the token; `null` if core cannot make one, for the token is enough. */
export async function linkFor(coreUrl: string, token: string): Promise<string | null> {
  return makeLink(coreUrl, token, { timeoutMs: 10_000 })
    .then(({ url }) => url)
    .catch(() => null);
}
