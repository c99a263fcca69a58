import { ALL_PROJECTS, ROLE_NAMES, type RoleText } from '../server/oidc/options.js';
import { projectName } from './credentials.js';
import { type Given, refuse, type SettingType } from './setting.js';
import { itemsOf, url } from './types.js';

/** As in the provider's discovery document, which may end in a slash. */
export const issuer: SettingType<string> = {
  format: 'URL',
  read(given, context) {
    if (given.text.includes('/.well-known/'))
      refuse(given, 'must be the issuer alone, without /.well-known/openid-configuration');
    url.read(given, context);
    return given.text;
  },
};

type Pair = readonly [value: string, gift: string];

/** The roles of each value of a claim. In `culprit.json` also an object, for values that contain commas; a member may be a list. */
export const claimRoles: SettingType<Readonly<Record<string, readonly RoleText[]>>> = {
  format: 'value=role[@project],…',
  structured: true,
  read(given) {
    const roles = new Map<string, RoleText[]>();
    for (const [value, text] of pairs(given)) {
      const own = roles.get(value) ?? [];
      const added = roleText(text, given);
      if (own.some((other) => projectOf(other) === projectOf(added)))
        refuse(given, 'gives a value two roles in one project');
      roles.set(value, [...own, added]);
    }
    return Object.fromEntries(roles);
  },
};

/** The project of each value of a claim; `*`: all of them. */
export const claimProjects: SettingType<Readonly<Record<string, string>>> = {
  format: 'value=project,…',
  structured: true,
  read(given) {
    const found = pairs(given);
    if (new Set(found.map(([value]) => value)).size < found.length) refuse(given, 'names a value twice');
    return Object.fromEntries(found.map(([value, text]) => [value, projectName(text, given)]));
  },
};

function roleText(text: string, given: Given): RoleText {
  const at = text.indexOf('@');
  const name = at < 0 ? text : text.slice(0, at);
  const role = ROLE_NAMES.find((known) => known === name);
  if (role === undefined) return refuse(given, `must give one of the roles ${ROLE_NAMES.join(', ')}`);
  const project = at < 0 ? ALL_PROJECTS : projectName(text.slice(at + 1), given);
  return project === ALL_PROJECTS ? role : `${role}@${project}`;
}

function projectOf(role: RoleText): string | undefined {
  return role.split('@')[1];
}

function pairs(given: Given): readonly Pair[] {
  return given.json === undefined ? pairsOf(given) : membersOf(given);
}

/** The last `=` separates, because a value may contain some. */
function pairsOf(given: Given): readonly Pair[] {
  return itemsOf(given.text).map((item) => {
    const at = item.lastIndexOf('=');
    if (at < 1 || at === item.length - 1) refuse(given, 'must be pairs of value=…, separated by commas');
    return [item.slice(0, at).trim(), item.slice(at + 1).trim()] as const;
  });
}

function membersOf(given: Given): readonly Pair[] {
  if (Array.isArray(given.json)) return pairsOf({ ...given, text: given.json.join(',') });
  return Object.entries(given.json as object).flatMap(([value, gifts]) =>
    [gifts as unknown].flat().map((gift): Pair => {
      if (typeof gift !== 'string') return refuse(given, 'must have texts, or lists of texts, as members');
      return [value, gift];
    }),
  );
}
