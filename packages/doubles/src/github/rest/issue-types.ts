import { type Handle, NOT_FOUND, ok, type World } from './request.js';
import { issueType } from './shapes.js';

/** The types of the repository's organisation. An account without types has no such list, and Enterprise Server not this route. */
export const listIssueTypes: Handle = ({ world, name }) => {
  const types = world.options.enterprise ? [] : typesOf(world, name);
  return types.length === 0 ? NOT_FOUND : ok(types.map((type) => issueType(type)));
};

/** GitHub compares the names without case. `undefined`: there is no such type. */
export function issueTypeNamed(world: World, repository: string, wanted: string): string | undefined {
  return typesOf(world, repository).find((type) => type.toLowerCase() === wanted.toLowerCase());
}

function typesOf({ options }: World, repository: string): readonly string[] {
  const owner = repository.split('/')[0]?.toLowerCase();
  const known = Object.entries(options.issueTypes ?? {}).find(([login]) => login.toLowerCase() === owner);
  return known?.[1] ?? [];
}
