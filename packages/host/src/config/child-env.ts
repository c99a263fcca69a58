import { SETTINGS } from './settings.js';

/**
 * The environment for a program that must not inherit how this one is set up: without Culprit's own settings, git's
 * repository variables and Node's options.
 */
export function neutralEnvironment(): Record<string, string> {
  const ours: ReadonlySet<string> = new Set([
    ...SETTINGS.map(({ env }) => env),
    'CULPRIT_CONFIG',
    'NODE_OPTIONS',
  ]);
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !ours.has(entry[0]) && !/^(GIT_|SENTRY_)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

/** True: the stream is a terminal and nobody asked for plain text (https://no-color.org). */
export function wantsColour(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
