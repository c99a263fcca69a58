import { ALL_PROJECTS } from '../server/oidc/role-text.js';
import { checkName, pairOf } from './credentials.js';
import { projectName } from './oidc.js';
import { refuse, type SettingType } from './setting.js';
import { itemsOf } from './types.js';

/** A reviewer's name, and the projects that they decide in; a name alone: all of them. */
export type SlackReviewer = string | { readonly name: string; readonly projects: string[] };

const FORMAT = 'U0123456789:name or U0123456789:name=project';

/** Reviewers by Slack user id. An entry with a project gives this one; several entries of a user give several. */
export const slackReviewers: SettingType<Readonly<Record<string, SlackReviewer>>> = {
  format: 'U0123456789:name[=project],…',
  read(given) {
    const found = new Map<string, SlackReviewer>();
    for (const item of itemsOf(given.text)) {
      const [user, rest] = pairOf(given, item, FORMAT);
      if (!/^[UW][A-Z0-9]{1,30}$/.test(user)) refuse(given, `must be ${FORMAT}, separated by commas`);
      const at = rest.indexOf('=');
      const name = checkName(given, (at < 0 ? rest : rest.slice(0, at)).trim());
      const project = at < 0 ? ALL_PROJECTS : projectName(rest.slice(at + 1).trim(), given);
      found.set(user, project === ALL_PROJECTS ? alone(user, name) : added(user, name, project));
    }
    return Object.fromEntries(found);

    function alone(user: string, name: string): string {
      return found.has(user) ? refuse(given, 'names a Slack user twice') : name;
    }

    function added(user: string, name: string, project: string): SlackReviewer {
      const other = found.get(user);
      if (other === undefined) return { name, projects: [project] };
      if (typeof other === 'string' || other.name !== name || other.projects.includes(project))
        return refuse(given, 'names a Slack user twice, other than with one name and several projects');
      return { name, projects: [...other.projects, project] };
    }
  },
};
