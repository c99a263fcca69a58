import type { Quota, QuotaScope, Quotas } from '@culprit/core';
import { DEFAULT_QUOTAS, QUOTA_LIMITS, QUOTA_SCOPES } from '@culprit/core/model';
import { refuse, type SettingType } from './setting.js';

const MIB = 1024 * 1024;
const SCOPES = QUOTA_SCOPES.join(', ');

/** Scopes that are not named have their default; `off` is `null`. */
export const quotas: SettingType<Quotas | null> = {
  format: 'scope=<new runs an hour>/<open runs>/<MiB>,… or off',
  read(given) {
    if (given.text === 'off') return null;
    const parts = given.text.split(',').map((part): [QuotaScope, Quota] => {
      const [, name, ...numbers] = /^(\w+)=(\d{1,9})\/(\d{1,9})\/(\d{1,9})$/.exec(part.trim()) ?? [];
      const scope = QUOTA_SCOPES.find((one) => one === name);
      if (scope === undefined)
        return refuse(
          given,
          `must be scope=<new runs an hour>/<open runs>/<MiB>,… with the scopes ${SCOPES}; or off`,
        );
      const [new_runs = 0, open_runs = 0, mebibytes = 0] = numbers.map(Number);
      return [scope, { new_runs, open_runs, bytes: mebibytes * MIB }];
    });
    const read = { ...DEFAULT_QUOTAS, ...Object.fromEntries(parts) } as Quotas;
    const half = QUOTA_LIMITS.every((limit) => 2 * read.door[limit] <= read.project[limit]);
    if (!half)
      refuse(
        given,
        'must give a door at most half of what it gives its project, so that a flood through one door leaves room for the others',
      );
    return read;
  },
};

export const DEFAULT_QUOTAS_TEXT = QUOTA_SCOPES.map((scope) => {
  const { new_runs, open_runs, bytes } = DEFAULT_QUOTAS[scope];
  return `${scope}=${new_runs}/${open_runs}/${bytes / MIB}`;
}).join(', ');
