import { parseArgs } from 'node:util';
import type { BaseToken } from './options.js';
import type { RunningDouble } from './server.js';

/** Flags that only some doubles have. */
type OwnFlag = 'lag' | 'no-limits' | 'enterprise';

/**
 * The options of a double that runs as its own process: `--repo NAME=/path/of/git` and `--token TOKEN=user:RIGHT,RIGHT`, both
 * repeatable, and single ones. `tokenOf` throws for an unknown right.
 */
export function readArguments<Token extends BaseToken>(
  tokenOf: (user: string, rights: readonly string[]) => Token,
  own: readonly OwnFlag[] = [],
) {
  const { values } = parseArgs({
    options: {
      repo: { type: 'string', multiple: true, default: [] },
      token: { type: 'string', multiple: true, default: [] },
      persist: { type: 'string' },
      port: { type: 'string' },
      scale: { type: 'string' },
      origin: { type: 'string' },
      lag: { type: 'string' },
      'no-limits': { type: 'boolean' },
      enterprise: { type: 'boolean' },
    },
  });
  const { persist, port, scale, origin, lag, enterprise } = values;
  for (const flag of ['lag', 'no-limits', 'enterprise'] as const)
    if (values[flag] !== undefined && !own.includes(flag)) throw new Error(`this double has no --${flag}`);
  return {
    repositories: Object.fromEntries(values.repo.map(repository)),
    tokens: Object.fromEntries(values.token.map((text) => token(text, tokenOf))),
    ...(persist === undefined ? {} : { persistTo: persist }),
    ...(port === undefined ? {} : { port: whole('port', port) }),
    ...(scale === undefined ? {} : { timeScale: whole('scale', scale) }),
    ...(origin === undefined ? {} : { timeOrigin: whole('origin', origin) }),
    ...(lag === undefined ? {} : { listingLagMs: whole('lag', lag) }),
    ...(values['no-limits'] ? { limits: false as const } : {}),
    ...(enterprise ? { enterprise } : {}),
  };
}

function repository(text: string): [string, { readonly git: string }] {
  const [, name, git] = /^([\w.-]+(?:\/[\w.-]+)+)=(.+)$/.exec(text) ?? [];
  if (!name || !git) throw new Error('--repo must be owner/name=/path/of/git');
  return [name, { git }];
}

function token<Token>(
  text: string,
  tokenOf: (user: string, rights: readonly string[]) => Token,
): [string, Token] {
  const [, key, user, rights = ''] = /^([^=]+)=([^:]+):(.*)$/.exec(text) ?? [];
  if (!key || !user) throw new Error('--token must be TOKEN=user:RIGHT,RIGHT');
  return [
    key,
    tokenOf(
      user,
      rights.split(',').filter((right) => right !== ''),
    ),
  ];
}

function whole(flag: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`--${flag} must be an integer`);
  return Number(text);
}

/**
 * Prints `ready` and these values as one JSON line. When the process is stopped, closes the double and exits, with status 1
 * and what it found if there were bugs or violations.
 */
export function serveUntilStopped(
  double: Pick<RunningDouble, 'close'>,
  values: Readonly<Record<string, unknown>>,
): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...values })}\n`);
  const stop = () =>
    void double.close().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
      },
    );
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
}
