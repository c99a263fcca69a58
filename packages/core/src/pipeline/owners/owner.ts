import type { CodeOwner, OwnersDialect } from '../../domain/ownership.js';

const MAIL = /^[^@\s]{1,100}@[A-Za-z0-9.-]{1,250}\.[A-Za-z]{2,24}$/;
const FORMS = {
  github: { user: /^@[A-Za-z0-9][\w-]{0,98}$/, team: /^@[A-Za-z0-9][\w-]{0,98}\/[\w.-]{1,100}$/ },
  gitlab: { user: /^@\w[\w.-]{0,253}$/, team: /^@\w[\w.-]{0,253}(?:\/\w[\w.-]{0,253}){1,20}$/ },
} as const;
const ROLE = /^@@(?:developer|maintainer|owner)s?$/i;

/** One word of a line as an owner; `null` if it is none. */
export function readOwner(word: string, dialect: OwnersDialect): CodeOwner | null {
  const { user, team } = FORMS[dialect];
  if (user.test(word)) return { kind: 'user', name: word };
  if (team.test(word)) return { kind: 'team', name: word };
  if (dialect === 'gitlab' && ROLE.test(word)) return { kind: 'role', name: word };
  return MAIL.test(word) ? { kind: 'email', name: word } : null;
}
