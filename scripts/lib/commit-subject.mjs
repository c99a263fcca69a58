import { readFileSync } from 'node:fs';

const { types, scopes } = JSON.parse(readFileSync(new URL('../commit-scopes.json', import.meta.url), 'utf8'));
const MAX_CHARS = 120;

/** Why this is not a valid commit subject here; `null` if it is valid. */
export function subjectFault(subject) {
  const match = /^(\w+)(?:\(([^)]*)\))?!?: \S/.exec(subject);
  if (match === null) return 'Write "type(scope): what changes".';
  const [, type, scope] = match;
  if (!types.includes(type)) return `Unknown type "${type}". Types: ${types.join(', ')}.`;
  const unknown = scope?.split(',').find((name) => !Object.hasOwn(scopes, name));
  if (unknown !== undefined) return `Unknown scope "${unknown}". See scripts/commit-scopes.json.`;
  if (subject.length > MAX_CHARS) return `Longer than ${MAX_CHARS} characters.`;
  return null;
}
