import type { Run } from '../domain/run.js';
import { isCulpritError } from '../errors/error.js';
import type { Values } from '../ports/values.js';
import { storedList } from '../runs/stored.js';
import type { Sanitiser } from './sanitise/index.js';

/** A notification that was given up. */
export interface FailedNotification {
  /** Id of the connector that could not deliver it. */
  readonly connector: string;
  readonly run_id: string;
  readonly state: Run['state'];
  /** ISO 8601: when the last attempt failed. */
  readonly at: string;
  readonly attempts: number;
  readonly code: string;
  readonly detail: string;
}

/** Maximum number of entries; the newest are kept. */
const MOST = 200;
const DETAIL_CHARS = 300;

export interface FailedNotifications {
  list(): Promise<readonly FailedNotification[]>;
  keep(failed: FailedNotification): Promise<void>;
  forget(connector: string, runId: string): Promise<void>;
}

/** Abandoned notifications, newest first, at most one per connector and run. */
export function failedNotifications(values: Values): FailedNotifications {
  const list = storedList<FailedNotification>(values, 'notifications-failed', {
    newest: 'first',
    most: MOST,
  });
  const of = (connector: string, runId: string) => (one: FailedNotification) =>
    one.connector === connector && one.run_id === runId;
  return {
    list: list.get,
    keep: (failed) => list.add(failed, of(failed.connector, failed.run_id)),
    forget: async (connector, runId) => void (await list.remove(of(connector, runId))),
  };
}

/** An error as the list shows it: the text of a `CulpritError`, or a fixed text. */
export function failureOf(error: unknown, sanitiser: Sanitiser): Pick<FailedNotification, 'code' | 'detail'> {
  if (!isCulpritError(error))
    return { code: 'internal', detail: 'The notifier failed. See the log for details.' };
  return { code: error.code, detail: sanitiser.text(error.message).value.slice(0, DETAIL_CHARS) };
}
