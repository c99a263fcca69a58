import type { Token } from '@culprit/client';
import { ALL_SCOPES, SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { printError } from '../log/terminal.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { form, type Given, overCore } from './over-core.js';
import { clipped, listText, minuteText, oneLine } from './print.js';
import type { ReadFlags } from './read-flags.js';

const { days: MAX_DAYS, defaultDays } = TOKEN_LIMITS;
const NEVER = 'never';
const HEAD = ['NAME', 'ID', 'SCOPES', 'PROJECTS', 'EXPIRES', 'LAST USED', 'MADE BY'];

/** API tokens. */
export const { usage, run } = overCore(
  'token',
  {
    flags: {
      scopes: { value: 'LIST', meaning: `of ${ALL_SCOPES.join(', ')}, separated by commas` },
      projects: { value: 'LIST', meaning: 'only these projects, separated by commas (default: all)' },
      days: {
        value: 'DAYS',
        meaning: `expires after 1 to ${MAX_DAYS} days (default ${defaultDays}), or ${NEVER}`,
      },
    },
    notes: [
      `Scopes: ${ALL_SCOPES.map((scope) => `${scope}: ${lower(SCOPES[scope])}.`).join(' ')}`,
      'The token is printed once, alone on standard output: T=$(culprit token new …) stores it. Decisions made with it have your name and the token’s. Revoking a token also revokes those that it made.',
    ],
  },
  {
    new: form('NAME --scopes LIST', {
      call({ api, flags, args: [name = ''] }) {
        const projects = wordsOf(flags.text('projects'));
        return api.makeToken({
          name,
          scopes: scopesOf(flags),
          projects: projects.length === 0 ? null : projects,
          expires_in_days: daysOf(flags),
        });
      },
      text({ token, expires_at: at }) {
        const until = at === null ? 'It does not expire.' : `It expires at ${at}.`;
        printError(`Store it now: it is not shown again. ${until}\n`);
        return `${token}\n`;
      },
    }),
    list: form('', {
      call: ({ api }) => api.listTokens(),
      text: ({ tokens }) => (tokens.length === 0 ? 'No API tokens.\n' : listText(HEAD, tokens.map(rowOf))),
    }),
    revoke: form('NAME|ID', {
      async call({ api, args: [wanted = ''] }) {
        const { id, name } = await find(api, wanted);
        return { status: 'revoked', id, name, ...(await api.revokeToken({ id })) };
      },
      json: ({ name: _, ...result }) => result,
      text: ({ id, name, revoked }) =>
        [
          `Revoked: ${oneLine(name)} (${id}).\n`,
          ...revoked.flatMap((one) =>
            one.id === id ? [] : `Revoked with it: ${oneLine(one.name)} (${one.id}).\n`,
          ),
        ].join(''),
    }),
  },
);

/** An id first: a name may look like one. */
async function find(api: Given['api'], wanted: string): Promise<Token> {
  const { tokens } = await api.listTokens();
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
  return flags.text('days') === NEVER ? null : flags.count('days', defaultDays, MAX_DAYS);
}

function wordsOf(text: string | null): string[] {
  return (text ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

function rowOf({ id, name, scopes, projects, made_by, expires_at, last_used_at }: Token): string[] {
  return [
    clipped(name, TOKEN_LIMITS.name),
    id,
    scopes.join(','),
    projects === null ? 'all' : clipped(projects.join(','), 40),
    expires_at === null ? NEVER : expires_at.slice(0, 10),
    last_used_at === null ? NEVER : minuteText(last_used_at),
    clipped(made_by, 30),
  ];
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
