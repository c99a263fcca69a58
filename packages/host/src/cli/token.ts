import type { Client, Token } from '@culprit/client';
import { ALL_SCOPES, SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { print, printError } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

const { days: MOST_DAYS, defaultDays } = TOKEN_LIMITS;
const NEVER = 'never';

export const usage: CommandUsage = {
  forms: ['token new NAME --scopes LIST [flags]', 'token list [flags]', 'token revoke NAME|ID [flags]'],
  flags: {
    scopes: { value: 'LIST', meaning: `of ${ALL_SCOPES.join(', ')}, separated by commas` },
    projects: { value: 'LIST', meaning: 'only these projects, separated by commas (default: all)' },
    days: {
      value: 'DAYS',
      meaning: `expires after 1 to ${MOST_DAYS} days (default ${defaultDays}), or ${NEVER}`,
    },
    ...CLIENT_FLAGS,
  },
  notes: [
    `Scopes: ${ALL_SCOPES.map((scope) => `${scope}: ${lower(SCOPES[scope])}.`).join(' ')}`,
    'The token is printed once, alone on standard output: T=$(culprit token new …) stores it. Decisions made with it have your name and the token’s. Revoking a token also revokes those that it made.',
  ],
};

/** API tokens. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', name, ...rest] = flags.positionals;
  if (rest.length > 0) throw usageError('Use one name. Put a name of several words in quotes.');
  if (verb === 'list' && name === undefined) return list(flags);
  if (verb === 'new' && name !== undefined) return make(flags, name);
  if (verb === 'revoke' && name !== undefined) return revoke(flags, name);
  throw usageError(
    'Use culprit token new NAME --scopes LIST, culprit token list or culprit token revoke NAME.',
  );
}

async function list(flags: ReadFlags): Promise<number> {
  const tokens = (await connect(flags).listTokens()).tokens;
  if (flags.has('json')) printJson({ tokens });
  else if (tokens.length === 0) print('No API tokens.\n');
  else print(tableText([HEAD, ...tokens.map(rowOf)]));
  return EXIT.done;
}

async function make(flags: ReadFlags, name: string): Promise<number> {
  const projects = wordsOf(flags.text('projects'));
  const made = await connect(flags).makeToken({
    name,
    scopes: scopesOf(flags),
    projects: projects.length === 0 ? null : projects,
    expires_in_days: daysOf(flags),
  });
  if (flags.has('json')) printJson(made);
  else {
    const until = made.expires_at === null ? 'It does not expire.' : `It expires at ${made.expires_at}.`;
    print(`${made.token}\n`);
    printError(`Store it now: it is not shown again. ${until}\n`);
  }
  return EXIT.done;
}

async function revoke(flags: ReadFlags, wanted: string): Promise<number> {
  const api = connect(flags);
  const { id, name } = await find(api, wanted);
  const { revoked } = await api.revokeToken({ id });
  const others = revoked.filter((one) => one.id !== id);
  if (flags.has('json')) printJson({ status: 'revoked', id, revoked });
  else {
    print(`Revoked: ${oneLine(name)} (${id}).\n`);
    for (const one of others) print(`Revoked with it: ${oneLine(one.name)} (${one.id}).\n`);
  }
  return EXIT.done;
}

/** An id first: a name may look like one. */
async function find(api: Client, wanted: string): Promise<Token> {
  const tokens = (await api.listTokens()).tokens;
  const found = tokens.find(({ id }) => id === wanted) ?? tokens.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new CommandFailure(`No token has the name or id ${JSON.stringify(wanted)}.`, EXIT.notFound);
}

function scopesOf(flags: ReadFlags): Scope[] {
  const words = wordsOf(flags.text('scopes'));
  if (words.length === 0)
    throw usageError(`--scopes is missing. Name at least one of ${ALL_SCOPES.join(', ')}.`);
  return words.map((word) => {
    const scope = ALL_SCOPES.find((known) => known === word);
    if (scope === undefined) throw unknownWord('scope', word, ALL_SCOPES);
    return scope;
  });
}

function daysOf(flags: ReadFlags): number | null {
  return flags.text('days') === NEVER ? null : flags.count('days', defaultDays, MOST_DAYS);
}

function wordsOf(text: string | null): string[] {
  return (text ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

const HEAD = ['NAME', 'ID', 'SCOPES', 'PROJECTS', 'EXPIRES', 'LAST USED', 'MADE BY'];

function rowOf({ id, name, scopes, projects, made_by, expires_at, last_used_at }: Token): string[] {
  return [
    clipped(name, TOKEN_LIMITS.name),
    id,
    scopes.join(','),
    projects === null ? 'all' : clipped(projects.join(','), 40),
    expires_at === null ? NEVER : expires_at.slice(0, 10),
    last_used_at === null ? NEVER : last_used_at.slice(0, 16).replace('T', ' '),
    clipped(made_by, 30),
  ];
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
