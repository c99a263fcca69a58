import { ROLES, type Role } from '../core/scopes.js';
import { checkProject } from './credentials.js';
import { type Given, refuse, type SettingType } from './setting.js';
import { itemsOf, url } from './types.js';

const ROLE_NAMES = Object.keys(ROLES) as Role[];

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

/** What each value of a claim gives. In `culprit.json` also an object, for values that contain commas. */
export function claimValues<Gift extends string>(
  format: string,
  check: (gift: string, given: Given) => Gift,
): SettingType<Readonly<Record<string, Gift>>> {
  return {
    format,
    structured: true,
    read(given) {
      const pairs = given.json === undefined ? pairsOf(given) : membersOf(given);
      if (new Set(pairs.map(([value]) => value)).size < pairs.length) refuse(given, 'names a value twice');
      return Object.fromEntries(pairs.map(([value, gift]) => [value, check(gift, given)]));
    },
  };
}

export const claimRoles = claimValues('value=role,…', (role, given): Role => {
  const known = ROLE_NAMES.find((name) => name === role);
  return known ?? refuse(given, `must give one of the roles ${ROLE_NAMES.join(', ')}`);
});

/** `*` as a project: all of them. */
export const claimProjects = claimValues('value=project,…', (project, given) =>
  project === '*' ? project : checkProject(given, project),
);

/** The last `=` separates, because a value may contain some. */
function pairsOf(given: Given): readonly (readonly [string, string])[] {
  return itemsOf(given.text).map((item) => {
    const at = item.lastIndexOf('=');
    if (at < 1 || at === item.length - 1) refuse(given, 'must be pairs of value=…, separated by commas');
    return [item.slice(0, at).trim(), item.slice(at + 1).trim()] as const;
  });
}

function membersOf(given: Given): readonly (readonly [string, string])[] {
  if (Array.isArray(given.json)) return pairsOf({ ...given, text: given.json.join(',') });
  return Object.entries(given.json as object).map(([value, gift]) =>
    typeof gift === 'string' ? ([value, gift] as const) : refuse(given, 'must have texts as members'),
  );
}
