import { ALL_PROJECTS } from '../server/oidc/options.js';
import { DEFAULT_PROJECT } from './credentials.js';
import { suggest, type ValuesOf } from './setting.js';
import { SETTINGS, type SettingKey } from './settings.js';

type Values = ValuesOf<typeof SETTINGS>;

/** Warnings about projects that a key, a token or a role names and no setting defines, which is mostly a typo. */
export function unknownProjects(
  values: Values,
  known: readonly string[],
  originOf: (key: SettingKey) => string,
): readonly string[] {
  return (Object.keys(values) as SettingKey[]).flatMap((key) => {
    const strange = projectsIn(key, values).filter(
      ({ project }) => ![ALL_PROJECTS, ...known].includes(project),
    );
    return [...new Map(strange.map((one) => [one.project, one])).values()].map(({ project, isSecret }) => {
      if (project === DEFAULT_PROJECT)
        return `${originOf(key)} has an entry for the project "default", which is not configured, so its crashes have no repository. Name one of ${known.join(', ')} (format: ${SETTINGS[key].type.format}).`;
      const near = suggest(project, known);
      const name = isSecret ? 'a project' : `the project ${project}`;
      const fix = near === null ? 'Add it to "projects" in culprit.json.' : `Did you mean ${near}?`;
      return `${originOf(key)} names ${name} without settings, so its crashes have no repository. ${fix}`;
    });
  });
}

interface Named {
  readonly project: string;
  /** The name may be the first half of a secret that contains a `=`. */
  readonly isSecret: boolean;
}

function projectsIn(key: SettingKey, values: Values): readonly Named[] {
  const value = values[key];
  if (Array.isArray(value))
    return (value as readonly unknown[]).flatMap((entry) =>
      typeof entry === 'object' && entry !== null && 'project' in entry
        ? [{ project: String(entry.project), isSecret: 'secret' in entry }]
        : [],
    );
  return inRules(key, values).map((project) => ({ project, isSecret: false }));
}

function inRules(key: SettingKey, { oidcProjects, oidcRoles, slackReviewers }: Values): readonly string[] {
  if (key === 'oidcProjects') return Object.values(oidcProjects ?? {});
  if (key === 'oidcRoles')
    return Object.values(oidcRoles ?? {}).flatMap((roles) =>
      roles.flatMap((role) => role.split('@')[1] ?? []),
    );
  if (key !== 'slackReviewers') return [];
  return Object.values(slackReviewers ?? {}).flatMap((one) => (typeof one === 'string' ? [] : one.projects));
}
