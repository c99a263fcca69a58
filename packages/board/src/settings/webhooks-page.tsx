import type { Input, Webhook } from '@culprit/client';
import { LEVELS } from '@culprit/core/internal/domain/event';
import { EVENT_NAMES, EVENT_TYPES } from '@culprit/core/internal/domain/webhook-events';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Form, listOf } from '../parts/form.js';
import { Pill } from '../parts/pill.js';
import { type Action, Actions, type Facts, List, type Row, Rows } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { type Resource, useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { announcement } from '../state/session.js';
import { NewSecret, type Secret } from './new-secret.js';

/** What is sent to make or to change a webhook. */
type Settings = Input<'createWebhook'>;

/** Outgoing webhooks: make, change, test, rotate and delete them; what was not delivered. */
export function Page() {
  const webhooks = useResource(async () => (await api.listWebhooks()).webhooks);
  const secret = useSignal<Secret | null>(null);
  const results = useSignal<Readonly<Record<string, string>>>({});
  /** `PART ID` of what is open. */
  const open = useSignal<ReadonlySet<string>>(new Set());
  const opens = (label: string, id: string): Action & { readonly expanded: boolean } => {
    const key = `${label} ${id}`;
    const run = () => {
      const next = new Set(open.value);
      if (!next.delete(key)) next.add(key);
      open.value = next;
    };
    return { label, run, expanded: open.value.has(key) };
  };
  const show = (name: string, text: string, until: string | null) => {
    const about = (
      <>
        <b>
          The secret of “<Text of={name} />
          ”.
        </b>
        {until !== null && ` The previous secret also signs until ${exact(until)}.`}
      </>
    );
    secret.value = { label: 'The secret', text, about };
  };
  const rowOf = (webhook: Webhook): Row => {
    const { id, name, url, enabled, dead } = webhook;
    const change = opens('Change', id);
    const letters = opens('Dead deliveries', id);
    return {
      key: id,
      name,
      pills: <State webhook={webhook} />,
      lead: <Text as="p" of={url} class="soft" />,
      facts: factsOf(webhook),
      rest: results.value[id] !== undefined && <Text as="p" of={results.value[id]} />,
      actions: [
        {
          label: 'Test',
          async run() {
            const { status, detail, ms } = await api.testWebhook({ webhook_id: id });
            const result = `${status === null ? '' : `Status ${status}. `}${detail} (${ms} ms)`;
            results.value = { ...results.value, [id]: result };
            return result;
          },
        },
        change,
        {
          label: enabled ? 'Turn off' : 'Turn on',
          run: () => api.updateWebhook({ webhook_id: id, ...settingsOf(webhook), enabled: !enabled }),
        },
        {
          label: 'Rotate secret',
          question: {
            title: `Rotate the secret of “${visible(name)}”?`,
            content: (
              <p>
                The previous secret also signs for another 24 hours, so that you can update the receiver in
                that time.
              </p>
            ),
            confirm: 'Rotate',
          },
          async run() {
            const rotated = await api.rotateWebhookSecret({ webhook_id: id });
            show(name, rotated.secret, rotated.previous_until);
          },
        },
        {
          label: 'Delete',
          question: {
            title: `Delete the webhook “${visible(name)}”?`,
            content: <p>Its secrets and its waiting and dead deliveries are deleted, too.</p>,
            confirm: 'Delete',
            danger: true,
          },
          run: () => api.deleteWebhook({ webhook_id: id }),
        },
        dead > 0 && letters,
      ],
      children: (
        <>
          {change.expanded && (
            <WebhookForm
              webhook={webhook}
              cancel={change.run}
              save={async (settings) => {
                await api.updateWebhook({ webhook_id: id, ...settings });
                change.run();
                await webhooks.read();
              }}
            />
          )}
          {letters.expanded && <DeadDeliveries webhook={webhook} read={webhooks.read} />}
        </>
      ),
    };
  };
  return (
    <>
      <p class="soft">
        Events of runs and issues are sent to your programs as signed requests, and retried for a day.
      </p>
      <NewSecret shown={secret} />
      <Rows of={webhooks} rows={webhooks.found?.map(rowOf)} title="Webhooks" empty="No webhooks." />
      <WebhookForm
        webhook={null}
        save={async (settings) => {
          const made = await api.createWebhook(settings);
          show(made.webhook.name, made.secret, null);
          announcement.value = 'The webhook is ready. Copy its secret now.';
          await webhooks.read();
        }}
      />
    </>
  );
}

function State({ webhook: { enabled, turned_off, failing_since, dead } }: { readonly webhook: Webhook }) {
  const off = turned_off === 'gone' ? 'off: the receiver is gone' : 'off';
  return (
    <>
      {!enabled && <Pill tone="grey">{off}</Pill>}
      {enabled && failing_since === null && <Pill tone="green">on</Pill>}
      {enabled && failing_since !== null && <Pill tone="amber">failing</Pill>}{' '}
      {dead > 0 && <Pill tone="red">{dead} dead</Pill>}
    </>
  );
}

function factsOf(webhook: Webhook): Facts {
  const { events, projects, levels, environments, last_success_at, failing_since, created_by } = webhook;
  const filters = [...projects, ...levels, ...environments].join(', ');
  return [
    plural(events.length, 'event'),
    filters === '' ? 'all runs' : `only ${filters}`,
    last_success_at === null ? 'nothing delivered' : `delivered ${ago(last_success_at, clock.value)}`,
    failing_since !== null && `failing since ${exact(failing_since)}`,
    `made by ${created_by}`,
  ];
}

function settingsOf(webhook: Webhook): Settings {
  const { name, url, events, projects, levels, environments, enabled } = webhook;
  return { name, url, events, projects, levels, environments, enabled };
}

/** Of a new webhook. */
const FIRST = ['run.draft_ready', 'issue.published', 'issue.publish_failed'];

interface WebhookFormProps {
  /** `null`: a new one. */
  readonly webhook: Webhook | null;
  readonly save: (settings: Settings) => Promise<void>;
  readonly cancel?: () => void;
}

/** The settings of a webhook. */
function WebhookForm({ webhook, save, cancel }: WebhookFormProps) {
  const {
    name = '',
    url = '',
    events = FIRST,
    projects = [],
    levels = [],
    environments = [],
  } = webhook ?? {};
  return (
    <Form
      id={webhook?.id ?? 'new-webhook'}
      title={webhook === null ? 'New webhook' : 'Change the webhook'}
      fields={{
        name: { label: 'Name: who receives it', first: name, input: { required: true, maxLength: 100 } },
        url: {
          label: 'URL of the receiver',
          first: url,
          input: { required: true, type: 'url', placeholder: 'https://ops.example/culprit' },
        },
        events: { label: 'Events', choices: EVENT_TYPES, first: events },
        levels: { label: 'Levels; none: all', choices: LEVEL_CHOICES, first: levels },
        projects: { label: 'Projects, separated by commas; empty: all', first: projects.join(', ') },
        environments: {
          label: 'Environments, separated by commas; empty: all',
          first: environments.join(', '),
        },
      }}
      submit={webhook === null ? 'Make the webhook' : 'Save'}
      ready={({ events }) => events.length > 0}
      clears
      cancel={cancel}
      send={({ name, url, events, levels, projects, environments }) =>
        save({
          name,
          url,
          events: EVENT_NAMES.filter((one) => events.includes(one)),
          projects: listOf(projects),
          environments: listOf(environments),
          levels: LEVELS.filter((one) => levels.includes(one)),
          enabled: webhook?.enabled ?? true,
        })
      }
    />
  );
}

const LEVEL_CHOICES = Object.fromEntries(LEVELS.map((level) => [level, '']));

interface DeadDeliveriesProps {
  readonly webhook: Webhook;
  readonly read: Resource<unknown>['read'];
}

/** What was given up, with a way to send one or all again. */
function DeadDeliveries({ webhook: { id, name, dead }, read }: DeadDeliveriesProps) {
  const letters = useResource(() => api.listDeadDeliveries({ webhook_id: id }), `${id} ${dead}`);
  const resend = async (deliveries?: readonly string[]) => {
    const { queued } = await api.resendDeadDeliveries({ webhook_id: id, deliveries });
    await read();
    return `${plural(queued, 'delivery', 'deliveries')} queued.`;
  };
  const { found, act } = letters;
  return (
    <>
      <Actions actions={[{ label: 'Send all again', run: () => resend() }]} name={name} act={act} />
      <List
        title={`Dead deliveries of ${visible(name)}`}
        act={act}
        rows={(found?.deliveries ?? []).map(({ id: delivery, type, at, attempts, code, status }) => ({
          key: delivery,
          name: delivery,
          title: (
            <>
              <b>{type}</b> <Text as="code" of={delivery} />
            </>
          ),
          facts: [
            `${code}${status === null ? '' : ` (${status})`}, ${plural(attempts, 'attempt')}, given up ${exact(at)}`,
          ],
          actions: [{ label: 'Send again', run: () => resend([delivery]) }],
        }))}
      />
    </>
  );
}
