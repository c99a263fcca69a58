import type { Port } from '../domain/port.js';
import type { QuotaUsage } from '../domain/quota.js';

/** Reports what every key, door and project that has sent crashes has used of its quota. Must not scan the runs. */
export interface RunUsage {
  usage(): Promise<readonly QuotaUsage[]>;
}
export const RunUsage = Symbol('RunUsage') as Port<RunUsage | null>;
