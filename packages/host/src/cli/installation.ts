import type { Answer, Quota } from '@culprit/client';
import { form, overCore } from './over-core.js';
import { clipped, listText, oneLine, tableText } from './print.js';

/** What each key, door and project has used of its quota. */
export const quotas = overCore(
  'quotas',
  {
    notes: [
      'A new crash beyond a quota starts no run; crashes of existing runs are still counted. Quotas with the most refusals come first.',
    ],
  },
  {
    '': form('', {
      call: ({ api }) => api.listQuotas(),
      text: ({ quotas: all }) =>
        all.length === 0
          ? 'No quota is used.\n'
          : listText(
              ['QUOTA OF', 'PROJECT', 'DOOR', 'NEW RUNS THIS HOUR', 'OPEN RUNS', 'STORED', 'REFUSED'],
              all.map(quotaRow),
            ),
    }),
  },
);

function quotaRow({ scope, project, door, key, used, limits, refused }: Quota): string[] {
  const of = (name: keyof Quota['used'], text: (value: number) => string = String) =>
    limits === null ? text(used[name]) : `${text(used[name])} of ${text(limits[name])}`;
  return [
    key === null ? scope : `key ${clipped(key, 40)}`,
    clipped(project, 40),
    door ?? 'all',
    of('new_runs'),
    of('open_runs'),
    of('bytes', (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`),
    String(refused),
  ];
}

/** Failed notifications, and retrying one. */
export const notifications = overCore(
  'notifications',
  {
    notes: [
      'A notification is listed after its retries have failed for about 8 hours, until a later notification succeeds.',
    ],
  },
  {
    '[list]': form('', {
      call: ({ api }) => api.listFailedNotifications(),
      text: ({ notifications: failed }) =>
        failed.length === 0
          ? 'No failed notifications.\n'
          : tableText(
              failed.map((one) => [
                one.at,
                one.connector,
                one.run_id,
                one.state,
                `${one.attempts}×`,
                clipped(one.detail, 100),
              ]),
            ),
    }),
    retry: form('CONNECTOR RUN', {
      call: async ({ api, args: [connector = '', run_id = ''] }) => {
        await api.retryNotification({ connector, run_id });
        return { status: 'queued' };
      },
      text: (_, { args: [connector = '', run_id = ''] }) =>
        `Queued: ${oneLine(connector)} is notified of ${oneLine(run_id)} again.\n`,
    }),
  },
);

type Grant = Answer<'listSessions', 200>['sessions'][number]['grants'][number];

/** The signed-in browsers, and ending one of their sessions. */
export const sessions = overCore(
  'sessions',
  {
    flags: {
      everybody: { meaning: 'list: the sessions of everybody; needs a token with the scope operate' },
    },
    notes: [
      'A session is a browser in which somebody has signed in. Without --everybody only the sessions of the token’s own name are listed.',
    ],
  },
  {
    '[list]': form('[--everybody]', {
      call: ({ api, flags }) => api.listSessions({ everybody: flags.has('everybody') || undefined }),
      text: ({ sessions: open }) =>
        open.length === 0
          ? 'No open sessions.\n'
          : tableText(
              open.map((one) => [
                one.session_id,
                clipped(one.name, 40),
                one.signed_in_with,
                one.grants.map(grantText).join('; ') || 'no scope',
                `${oneLine(one.program)}, ${one.network}`,
                `seen ${one.seen_at}`,
                `until ${one.expires_at}`,
              ]),
            ),
    }),
    revoke: form('SESSION', {
      call: async ({ api, args: [session_id = ''] }) => {
        await api.endSession({ session_id });
        return { session_id, status: 'ended' };
      },
      text: ({ session_id }) => `Ended: ${oneLine(session_id)}\n`,
    }),
  },
);

function grantText({ scopes, projects }: Grant): string {
  return `${scopes.join(' ')} in ${projects === null ? 'all projects' : clipped(projects.join(' '), 40)}`;
}
