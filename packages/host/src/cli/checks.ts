import type { Check } from '@culprit/core';

export interface CheckRow {
  /** What it looks at. */
  readonly looksAt: string;
  /** `refuse`: `up` does not start, and `doctor` fails. `warn`: both say it and go on. */
  readonly severity: 'refuse' | 'warn';
  readonly remedy: string;
  /** True: it takes long or asks another system, so `up` leaves it to `doctor`, Health and the servers themselves. */
  readonly later?: true;
}

/** What `up`, `doctor` and Health check of a configuration and its machine, by the name in their output. */
export const CHECKS = {
  settings: {
    looksAt:
      'settings that are allowed but probably unintended: names of variables close to a setting’s, projects that no setting defines, addresses that others can read',
    severity: 'warn',
    remedy: 'Write the name that the warning suggests.',
  },
  projects: {
    looksAt: 'whether any project has a repository',
    severity: 'warn',
    remedy: 'Set `REPOSITORY`, or `repository` of each project in `culprit.json`.',
  },
  secrets: {
    looksAt: 'the length of tokens and secrets',
    severity: 'refuse',
    remedy: '`openssl rand -hex 32`',
  },
  'env file': {
    looksAt: 'who can read or change the file that `envFile` names',
    severity: 'refuse',
    remedy: '`chmod 600 FILE`',
  },
  'audit key': {
    looksAt: 'whether the key that seals histories exists and is the same as before',
    severity: 'refuse',
    remedy: 'Restore it from a backup.',
  },
  'write access': {
    looksAt: 'whether files can be created in the data directory',
    severity: 'refuse',
    remedy: 'Give this user permission, or set `DATA_DIR`.',
  },
  'data directory': {
    looksAt: 'who can enter the data directory',
    severity: 'warn',
    remedy: '`chmod 700 DIRECTORY`',
  },
  'data files': {
    looksAt: 'who can read or change what is in the data directory',
    severity: 'warn',
    remedy:
      'None: core and edge remove these permissions when they start. Change your secrets if you do not trust those users.',
  },
  'disk space': {
    looksAt: 'free space for a full spool',
    severity: 'warn',
    remedy: 'Free space, or lower `limits.spoolBytes`.',
  },
  'storage policy': {
    looksAt: 'whether runs survive a restart',
    severity: 'warn',
    remedy: 'Set `STORAGE_URL=file:DIRECTORY`.',
  },
  'edge port': {
    looksAt: 'whether the edge’s port is free; for `doctor` also whether the edge runs in the data directory',
    severity: 'refuse',
    remedy: 'Stop the other program, or set `EDGE_PORT`.',
  },
  'core port': {
    looksAt: 'whether core’s port is free; for `doctor` also whether core runs in the data directory',
    severity: 'refuse',
    remedy: 'Stop the other program, or set `CORE_PORT`.',
  },
  repository: {
    looksAt: 'whether git can read each repository on this machine',
    severity: 'refuse',
    remedy: 'Set `REPOSITORY` to the top folder of a clone that this user can read.',
  },
  history: {
    looksAt: 'whether a repository’s history is complete: shallow and partial clones, replaced commits',
    severity: 'warn',
    remedy: 'Run the command in the warning.',
  },
  'disk sync': {
    looksAt: 'how long the disk takes to store 4 KiB',
    severity: 'warn',
    remedy: 'Put `DATA_DIR` on a local disk.',
    later: true,
  },
  'http server': {
    looksAt: 'whether the chosen `HTTP_DRIVER` works on this machine',
    severity: 'refuse',
    remedy: 'Set `HTTP_DRIVER=auto`.',
    later: true,
  },
  clock: {
    looksAt: 'the difference to the clock of the code host',
    severity: 'refuse',
    remedy: '`timedatectl set-ntp true`',
    later: true,
  },
} as const satisfies Readonly<Record<string, CheckRow>>;

export type CheckName = keyof typeof CHECKS;

/** With the severity of the table. Checks of one project are named `repository of shop`; connectors rate their own. */
export function rated(check: Check): Check {
  const row = CHECKS[(check.name.split(' of ')[0] ?? '') as CheckName] as CheckRow | undefined;
  return check.ok || row?.severity !== 'warn' ? check : { ...check, optional: true };
}

/** Whether `up` can start, and `doctor` ends with 0. */
export function passes({ ok, optional }: Check): boolean {
  return ok || optional === true;
}
