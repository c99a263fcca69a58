import type { LiveOptions } from './options.js';

/** The number of a user: its place among the users of the tokens and the others. 0: there is none. */
export function accountOf(options: LiveOptions, name: string): number {
  return namesOf(options).findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1;
}

export function namesOf({ tokens, users = [] }: LiveOptions): readonly string[] {
  return [...new Set([...Object.values(tokens).map(({ user }) => user), ...users])];
}

export function userShape(options: LiveOptions, username: string, base: string) {
  const id = accountOf(options, username);
  return { id, username, name: username, state: 'active', web_url: `${base}/${username}` };
}
