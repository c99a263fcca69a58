import type { Webhook } from '@culprit/client';
import { LEVELS } from '@culprit/core/internal/domain/event';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  TEST_EVENT,
  TEST_MEANING,
} from '@culprit/core/internal/domain/webhook-events';
import type { WebhookSettings } from '../webhooks/subscription.js';
import { EXIT, usageError } from './exit-codes.js';
import { form, overCore } from './over-core.js';
import { clipped, tableText } from './print.js';
import type { ReadFlags } from './read-flags.js';

/** Outgoing webhooks. */
export const { usage, run } = overCore(
  'webhooks',
  {
    flags: {
      name: { value: 'NAME', meaning: 'name of the webhook' },
      target: { value: 'URL', meaning: 'with change: the new address of the receiver' },
      event: { value: 'TYPE', meaning: 'an event to send, or all; may be repeated', many: true },
      project: { value: 'NAME', meaning: 'only runs of this project; may be repeated', many: true },
      level: {
        value: 'LEVEL',
        meaning: `only runs of this level: ${LEVELS.join(', ')}; may be repeated`,
        many: true,
      },
      environment: {
        value: 'NAME',
        meaning: 'only runs that crashed in this environment; may be repeated',
        many: true,
      },
      'no-filters': { meaning: 'with change: runs of all projects, levels and environments' },
      on: { meaning: 'with change: turn the webhook on' },
      off: { meaning: 'turn the webhook off, or create it turned off' },
    },
    notes: [
      'The secret is printed by create and by rotate, and never again. After a rotation the previous secret also signs for another 24 hours.',
      'A delivery is dead after its retries have failed for about a day. Dead deliveries are kept for 14 days.',
    ],
  },
  {
    '[list]': form('', {
      call: ({ api }) => api.listWebhooks(),
      text: ({ webhooks }) =>
        webhooks.length === 0
          ? 'No webhooks.\n'
          : tableText(
              webhooks.map((one) => [
                one.id,
                clipped(one.name, 30),
                stateText(one),
                `${one.dead} dead`,
                clipped(one.url, 60),
              ]),
            ),
    }),
    events: form('', {
      call: () => ({ events: { ...EVENT_TYPES, [TEST_EVENT]: TEST_MEANING } }),
      text: ({ events }) => tableText(Object.entries(events)),
    }),
    create: form('TARGET_URL --name NAME --event TYPE…', {
      call({ api, flags, args: [url = ''] }) {
        const name = flags.text('name');
        if (name === null || flags.all('event').length === 0)
          throw usageError('Pass --name and at least one --event. See culprit webhooks events.');
        return api.createWebhook({ name, url, enabled: !flags.has('off'), ...filtersOf(flags) });
      },
      text: ({ webhook, secret }) => `Made ${webhook.id}. Its secret, which is not shown again:\n${secret}\n`,
    }),
    show: form('ID', {
      call: ({ api, args: [webhook_id = ''] }) => api.getWebhook({ webhook_id }),
      text: webhookText,
    }),
    change: form('ID', {
      call: async ({ api, flags, args: [webhook_id = ''] }) =>
        api.updateWebhook({ webhook_id, ...changed(await api.getWebhook({ webhook_id }), flags) }),
      text: webhookText,
    }),
    test: form('ID', {
      call: ({ api, args: [webhook_id = ''] }) => api.testWebhook({ webhook_id }),
      text: ({ status, detail, ms }) =>
        `${status === null ? '' : `Status ${status}. `}${detail} (${ms} ms)\n`,
      exit: ({ ok }) => (ok ? EXIT.done : EXIT.failed),
    }),
    rotate: form('ID', {
      call: ({ api, args: [webhook_id = ''] }) => api.rotateWebhookSecret({ webhook_id }),
      text: ({ secret, previous_until: until }) =>
        `${secret}\n${until === null ? '' : `The previous secret also signs until ${until}.\n`}`,
    }),
    delete: form('ID', {
      call: async ({ api, args: [webhook_id = ''] }) => {
        await api.deleteWebhook({ webhook_id });
        return { status: 'deleted' };
      },
      text: () => 'Deleted.\n',
    }),
    dead: form('ID', {
      call: ({ api, args: [webhook_id = ''] }) => api.listDeadDeliveries({ webhook_id }),
      text: ({ deliveries }) =>
        deliveries.length === 0
          ? 'No dead deliveries.\n'
          : tableText(
              deliveries.map(({ id, type, at, attempts, code, status }) => [
                at,
                id,
                type,
                `${attempts}×`,
                status === null ? code : `${code} (${status})`,
              ]),
            ),
    }),
    resend: form('ID [DELIVERY…]', {
      call: ({ api, args: [webhook_id = '', ...deliveries] }) =>
        api.resendDeadDeliveries(deliveries.length === 0 ? { webhook_id } : { webhook_id, deliveries }),
      text: ({ queued }) => `Queued: ${queued === 1 ? 'one delivery' : `${queued} deliveries`}.\n`,
    }),
  },
);

function webhookText(webhook: Webhook): string {
  const { projects, levels, environments, last_failure: failure } = webhook;
  const some = (values: readonly string[]) => (values.length === 0 ? 'all' : values.join(', '));
  return tableText([
    ['id', webhook.id],
    ['name', webhook.name],
    ['url', webhook.url],
    ['state', stateText(webhook)],
    ['events', webhook.events.join(', ')],
    ['projects', some(projects)],
    ['levels', some(levels)],
    ['environments', some(environments)],
    ['last success', webhook.last_success_at ?? 'none'],
    ['last failure', failure === null ? 'none' : `${failure.at}, ${failure.code}`],
    ['dead deliveries', String(webhook.dead)],
  ]);
}

/** `on`, `off`, `failing since …`. */
function stateText({ enabled, turned_off, failing_since }: Webhook): string {
  if (!enabled) return turned_off === 'gone' ? 'off: the receiver is gone' : 'off';
  return failing_since === null ? 'on' : `failing since ${failing_since}`;
}

type Filters = Pick<WebhookSettings, 'events' | 'projects' | 'levels' | 'environments'>;

/** The server checks the values. */
function filtersOf(flags: ReadFlags): Filters {
  const events = flags.all('event');
  return {
    events: events.includes('all') ? [...EVENT_NAMES] : [...events],
    projects: [...flags.all('project')],
    levels: [...flags.all('level')],
    environments: [...flags.all('environment')],
  } as Filters;
}

function changed(before: Webhook, flags: ReadFlags): WebhookSettings {
  const given = filtersOf(flags);
  const none = flags.has('no-filters');
  const filter = <Name extends keyof Filters>(name: Name): Filters[Name] =>
    given[name].length > 0 || (none && name !== 'events')
      ? given[name]
      : ([...before[name]] as Filters[Name]);
  return {
    name: flags.text('name') ?? before.name,
    url: flags.text('target') ?? before.url,
    events: filter('events'),
    projects: filter('projects'),
    levels: filter('levels'),
    environments: filter('environments'),
    enabled: flags.has('on') || (before.enabled && !flags.has('off')),
  };
}
