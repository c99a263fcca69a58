import { SETTINGS } from './settings.js';

/**
 * The environment for a child process that must not inherit this one's setup: without Culprit's settings, git's
 * repository variables and Node's options.
 */
export function neutralEnvironment(): Record<string, string> {
  const removed: ReadonlySet<string> = new Set([
    ...Object.values(SETTINGS).flatMap(({ env }) => env ?? []),
    'CULPRIT_CONFIG',
    'NODE_OPTIONS',
  ]);
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !removed.has(entry[0]) && !/^(GIT_|SENTRY_)/.test(entry[0]),
  );
  return Object.fromEntries(inherited);
}

/** True: the stream is a terminal and colour is not disabled (https://no-color.org). */
export function wantsColour(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

/** The variables that this process was given. */
export const ownEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;
