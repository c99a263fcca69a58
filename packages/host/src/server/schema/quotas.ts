import { DOORS } from '@culprit/core/internal/domain/event';
import { QUOTA_SCOPES } from '@culprit/core/internal/domain/quota';
import { named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const amounts = v.object({
  new_runs: v.pipe(v.number(), v.description('Runs started in the current clock hour (UTC).')),
  open_runs: v.pipe(v.number(), v.description('Runs that are neither published nor rejected.')),
  bytes: v.pipe(v.number(), v.description('Bytes of stored events, each rounded up to 16 KiB.')),
});

/** One key, door or project in the response of `GET /api/v1/quotas`. */
export const quotaSchema = named(
  'Quota',
  'What a key, a door or a project has used of its quota.',
  v.object({
    scope: v.picklist(QUOTA_SCOPES),
    project: v.string(),
    door: v.nullable(v.picklist(DOORS)),
    key: v.pipe(v.nullable(v.string()), v.description('Names the credential, without its secret.')),
    used: amounts,
    limits: v.pipe(v.nullable(amounts), v.description('`null`: no limits are configured.')),
    refused: v.pipe(v.number(), v.description('Crashes that started no run because of a quota.')),
  }),
);
export type QuotaEntry = Readonly<v.InferOutput<typeof quotaSchema>>;
