import type { Client, Webhook } from '@culprit/client';
import { LEVELS } from '@culprit/core/internal/domain/event';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  TEST_EVENT,
  TEST_MEANING,
} from '@culprit/core/internal/domain/webhook-events';
import { print } from '../log/terminal.js';
import type { WebhookSettings } from '../webhooks/subscription.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'webhooks [list] [flags]',
    'webhooks events [flags]',
    'webhooks create TARGET_URL --name NAME --event TYPE… [flags]',
    'webhooks show ID [flags]',
    'webhooks change ID [flags]',
    'webhooks test ID [flags]',
    'webhooks rotate ID [flags]',
    'webhooks delete ID [flags]',
    'webhooks dead ID [flags]',
    'webhooks resend ID [DELIVERY…] [flags]',
  ],
  flags: {
    name: { value: 'NAME', meaning: 'what people call the webhook' },
    target: { value: 'URL', meaning: 'with change: the new address of the receiver' },
    event: { value: 'TYPE', meaning: 'an event to send, or all; may be repeated', many: true },
    project: { value: 'NAME', meaning: 'only runs of this project; may be repeated', many: true },
    level: {
      value: 'LEVEL',
      meaning: `only runs of this level: ${LEVELS.join(', ')}; may be repeated`,
      many: true,
    },
    environment: { value: 'NAME', meaning: 'only runs that crashed there; may be repeated', many: true },
    'no-filters': { meaning: 'with change: runs of all projects, levels and environments' },
    on: { meaning: 'with change: turn the webhook on' },
    off: { meaning: 'turn the webhook off, or create it turned off' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'The secret is printed by create and by rotate, and never again. After a rotation the secret before it signs for another 24 hours.',
    'A delivery is dead when its retries have failed for about a day. Dead deliveries are kept for 14 days.',
  ],
};

type Verb = (api: Client, id: string, flags: ReadFlags) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = {
  show: async (api, id, flags) => shown(await api.getWebhook({ webhook_id: id }), flags),
  change: async (api, id, flags) =>
    shown(
      await api.updateWebhook({
        webhook_id: id,
        ...changed(await api.getWebhook({ webhook_id: id }), flags),
      }),
      flags,
    ),
  test: runTest,
  rotate: async (api, id, flags) => {
    const made = await api.rotateWebhookSecret({ webhook_id: id });
    if (flags.has('json')) printJson(made);
    else {
      print(`${made.secret}\n`);
      if (made.previous_until !== null) print(`The secret before signs until ${made.previous_until}.\n`);
    }
    return EXIT.done;
  },
  delete: async (api, id, flags) => {
    await api.deleteWebhook({ webhook_id: id });
    if (flags.has('json')) printJson({ status: 'deleted' });
    else print('Deleted.\n');
    return EXIT.done;
  },
  dead: listDead,
  resend: async (api, id, flags) => {
    const chosen = flags.positionals.slice(2);
    const { queued } = await api.resendDeadDeliveries({
      webhook_id: id,
      deliveries: chosen.length === 0 ? undefined : chosen,
    });
    if (flags.has('json')) printJson({ queued });
    else print(`Queued: ${queued === 1 ? 'one delivery' : `${queued} deliveries`}.\n`);
    return EXIT.done;
  },
};

export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', id, ...rest] = flags.positionals;
  if (verb === 'events' && id === undefined) return listEvents(flags);
  if (verb === 'list' && id === undefined) return list(connect(flags), flags);
  if (verb === 'create' && id !== undefined && rest.length === 0) return create(connect(flags), id, flags);
  const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (work === undefined || id === undefined || (rest.length > 0 && verb !== 'resend'))
    throw usageError(
      'Use culprit webhooks [list], create TARGET_URL, or a verb with an ID. See culprit webhooks --help.',
    );
  return work(connect(flags), id, flags);
}

function listEvents(flags: ReadFlags): number {
  const events = { ...EVENT_TYPES, [TEST_EVENT]: TEST_MEANING };
  if (flags.has('json')) printJson({ events });
  else print(tableText(Object.entries(events)));
  return EXIT.done;
}

async function list(api: Client, flags: ReadFlags): Promise<number> {
  const webhooks = (await api.listWebhooks()).webhooks;
  if (flags.has('json')) printJson({ webhooks });
  else if (webhooks.length === 0) print('No webhooks.\n');
  else {
    const rows = webhooks.map((one) => [
      one.id,
      clipped(one.name, 30),
      stateText(one),
      `${one.dead} dead`,
      clipped(one.url, 60),
    ]);
    print(tableText(rows));
  }
  return EXIT.done;
}

async function create(api: Client, url: string, flags: ReadFlags): Promise<number> {
  const name = flags.text('name');
  if (name === null || flags.all('event').length === 0)
    throw usageError('Pass --name and at least one --event. See culprit webhooks events.');
  const made = await api.createWebhook({ name, url, enabled: !flags.has('off'), ...filtersOf(flags) });
  if (flags.has('json')) printJson(made);
  else print(`Made ${made.webhook.id}. Its secret, which is not shown again:\n${made.secret}\n`);
  return EXIT.done;
}

async function runTest(api: Client, id: string, flags: ReadFlags): Promise<number> {
  const result = await api.testWebhook({ webhook_id: id });
  if (flags.has('json')) printJson(result);
  else {
    const status = result.status === null ? '' : `Status ${result.status}. `;
    print(`${status}${result.detail} (${result.ms} ms)\n`);
  }
  return result.ok ? EXIT.done : EXIT.failed;
}

async function listDead(api: Client, id: string, flags: ReadFlags): Promise<number> {
  const deliveries = (await api.listDeadDeliveries({ webhook_id: id })).deliveries;
  if (flags.has('json')) printJson({ deliveries });
  else if (deliveries.length === 0) print('No dead deliveries.\n');
  else {
    const rows = deliveries.map(({ id: delivery, type, at, attempts, code, status }) => [
      at,
      oneLine(delivery),
      type,
      `${attempts}×`,
      status === null ? code : `${code} (${status})`,
    ]);
    print(tableText(rows));
  }
  return EXIT.done;
}

function shown(webhook: Webhook, flags: ReadFlags): number {
  if (flags.has('json')) printJson(webhook);
  else {
    const { projects, levels, environments, last_failure: failure } = webhook;
    const some = (values: readonly string[]) => (values.length === 0 ? 'all' : values.join(', '));
    const rows = [
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
    ];
    print(tableText(rows));
  }
  return EXIT.done;
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
