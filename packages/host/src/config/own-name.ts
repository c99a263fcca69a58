import { sep } from 'node:path';

/** What a person types to run this program again: after an installation in a folder, npm alone finds it there. */
export function commandName(
  script: string | undefined = process.argv[1],
  { npm_lifecycle_event: event }: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const isInFolder = script?.includes(`${sep}node_modules${sep}`) === true;
  return isInFolder || ['npx', 'start', 'demo'].includes(event ?? '') ? 'npx culprit' : 'culprit';
}
