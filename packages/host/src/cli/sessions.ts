import type { Answer, Client } from '@culprit/client';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['sessions [list] [--everybody] [flags]', 'sessions revoke SESSION [flags]'],
  flags: {
    everybody: { meaning: 'list: the sessions of everybody; needs a token with the scope operate' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'A session is a browser in which somebody has signed in. Without --everybody the list has those of the token’s own name.',
  ],
};

/** The signed-in browsers, and ending one of their sessions. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', session, ...rest] = flags.positionals;
  if (verb !== 'list' && verb !== 'revoke') throw unknownWord('subcommand', verb, ['list', 'revoke']);
  if (rest.length > 0 || (verb === 'list' && session !== undefined)) throw usageError('Too many arguments.');
  if (verb === 'list') return list(connect(flags), flags);
  if (session === undefined) throw usageError('A session is missing: culprit sessions revoke SESSION.');
  await connect(flags).endSession({ session_id: session });
  if (flags.has('json')) printJson({ session_id: session, status: 'ended' });
  else print(`Ended: ${oneLine(session)}\n`);
  return EXIT.done;
}

async function list(api: Client, flags: ReadFlags): Promise<number> {
  const sessions = (await api.listSessions({ everybody: flags.has('everybody') })).sessions;
  if (flags.has('json')) printJson({ sessions });
  else if (sessions.length === 0) print('No open sessions.\n');
  else {
    const rows = sessions.map((one) => [
      one.session_id,
      clipped(one.name, 40),
      one.signed_in_with,
      one.grants.map(grantText).join('; ') || 'no scope',
      `${oneLine(one.program)}, ${one.network}`,
      `seen ${one.seen_at}`,
      `until ${one.expires_at}`,
    ]);
    print(tableText(rows));
  }
  return EXIT.done;
}

type Grant = Answer<'listSessions', 200>['sessions'][number]['grants'][number];

function grantText({ scopes, projects }: Grant): string {
  return `${scopes.join(' ')} in ${projects === null ? 'all projects' : clipped(projects.join(' '), 40)}`;
}
