import { DOORS } from '@culprit/core/internal/domain/event';
import { QUOTA_SCOPES } from '@culprit/core/internal/domain/quota';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const amounts = v.object({
  new_runs: about(v.number(), 'Runs started in the current clock hour (UTC).'),
  open_runs: about(v.number(), 'Runs that are neither published nor rejected.'),
  bytes: about(v.number(), 'Bytes of stored events, each rounded up to 16 KiB.'),
});

/** One key, door or project in the response of `GET /api/v1/quotas`. */
export const quotaSchema = named(
  'Quota',
  'What a key, a door or a project has used of its quota.',
  v.object({
    scope: v.picklist(QUOTA_SCOPES),
    project: v.string(),
    door: v.nullable(v.picklist(DOORS)),
    key: about(v.nullable(v.string()), 'Names the credential, without its secret.'),
    used: amounts,
    limits: about(v.nullable(amounts), '`null`: no limits are configured.'),
    refused: about(v.number(), 'Crashes that started no run because of a quota.'),
  }),
);
export type QuotaEntry = Readonly<v.InferOutput<typeof quotaSchema>>;
