import type { Webhook } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Pill } from '../parts/pill.js';
import { Action, Card, Cards, type Resource, useResource } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement } from '../state/session.js';
import { NewSecret } from './new-secret.js';
import { WebhookForm, type WebhookSettings } from './webhook-form.js';

interface ShownSecret {
  readonly name: string;
  readonly secret: string;
  /** ISO 8601: until then the one before signs, too. */
  readonly previous: string | null;
}

/** Outgoing webhooks: make, change, test, rotate and delete them; what was not delivered. */
export function WebhooksPage() {
  const { found, read, act } = useResource(async () => (await api.listWebhooks()).webhooks);
  const secret = useSignal<ShownSecret | null>(null);
  const create = async (settings: WebhookSettings) => {
    const made = await api.createWebhook(settings);
    secret.value = { name: made.webhook.name, secret: made.secret, previous: null };
    announcement.value = 'The webhook is ready. Copy its secret now.';
    await read();
  };
  return (
    <>
      <p class="soft">
        What happens to runs and issues is sent to your programs, signed, and tried again for a day.
      </p>
      {secret.value !== null && (
        <NewSecret
          label="The secret"
          what="the secret"
          secret={secret.value.secret}
          done={() => {
            secret.value = null;
          }}
        >
          <b>
            The secret of “<Text of={secret.value.name} />
            ”.
          </b>{' '}
          Copy it now: it is not shown again.
          {secret.value.previous !== null && ` The one before signs until ${exact(secret.value.previous)}.`}
        </NewSecret>
      )}
      <Cards id="webhooks" title="Webhooks" count={found?.length} empty="No webhooks.">
        {found?.map((webhook) => (
          <Row
            key={webhook.id}
            webhook={webhook}
            act={act}
            rotated={(made) => {
              secret.value = made;
            }}
          />
        ))}
      </Cards>
      <WebhookForm webhook={null} save={create} />
    </>
  );
}

interface RowProps {
  readonly webhook: Webhook;
  readonly act: Resource<unknown>['act'];
  readonly rotated: (secret: ShownSecret) => void;
}

function Row({ webhook, act, rotated }: RowProps) {
  const { id, name, enabled } = webhook;
  const changing = useSignal(false);
  const listing = useSignal(false);
  const tested = useSignal<string | null>(null);
  const test = () =>
    act(async () => {
      const { status, detail, ms } = await api.testWebhook({ webhook_id: id });
      tested.value = `${status === null ? '' : `Status ${status}. `}${detail} (${ms} ms)`;
      announcement.value = tested.value;
    });
  const rotate = () =>
    act(
      async () => {
        const made = await api.rotateWebhookSecret({ webhook_id: id });
        rotated({ name, secret: made.secret, previous: made.previous_until });
      },
      {
        title: `Rotate the secret of “${visible(name)}”?`,
        content: (
          <p>The secret before signs for another 24 hours, so the receiver can change in that time.</p>
        ),
        confirm: 'Rotate',
      },
    );
  const remove = () =>
    act(() => api.deleteWebhook({ webhook_id: id }), {
      title: `Delete the webhook “${visible(name)}”?`,
      content: <p>Its secrets and its waiting and dead deliveries are deleted, too.</p>,
      confirm: 'Delete',
      danger: true,
    });
  const save = (settings: WebhookSettings) =>
    act(async () => {
      await api.updateWebhook({ webhook_id: id, ...settings });
      changing.value = false;
    });
  const toggle = () => {
    changing.value = !changing.value;
  };
  const list = () => {
    listing.value = !listing.value;
  };
  const button = (label: string, run: () => unknown, expanded?: boolean) => (
    <Action
      label={label}
      name={`${label}: ${visible(name)}`}
      run={run}
      {...(expanded === undefined ? {} : { expanded })}
    />
  );
  return (
    <Card
      title={
        <>
          <Text as="b" of={name} /> <StatePill webhook={webhook} />
        </>
      }
      lead={<Text as="p" of={webhook.url} class="soft" />}
      facts={factsOf(webhook)}
      rest={tested.value !== null && <p>{tested.value}</p>}
      actions={
        <p class="actions">
          {button('Test', test)}
          {button('Change', toggle, changing.value)}
          {button(enabled ? 'Turn off' : 'Turn on', () =>
            save(settingsOf({ ...webhook, enabled: !enabled })),
          )}
          {button('Rotate secret', rotate)}
          {button('Delete', remove)}
          {webhook.dead > 0 && button('Dead deliveries', list, listing.value)}
        </p>
      }
    >
      {changing.value && <WebhookForm webhook={webhook} save={save} cancel={toggle} />}
      {listing.value && <DeadDeliveries webhook={webhook} act={act} />}
    </Card>
  );
}

function StatePill({ webhook: { enabled, turned_off, failing_since, dead } }: { readonly webhook: Webhook }) {
  const state = !enabled
    ? { tone: 'grey', words: turned_off === 'gone' ? 'off: the receiver is gone' : 'off' }
    : failing_since === null
      ? { tone: 'green', words: 'on' }
      : { tone: 'amber', words: 'failing' };
  return (
    <>
      <Pill tone={state.tone}>{state.words}</Pill> {dead > 0 && <Pill tone="red">{dead} dead</Pill>}
    </>
  );
}

function factsOf(webhook: Webhook): readonly string[] {
  const { events, projects, levels, environments, last_success_at, failing_since, created_by } = webhook;
  const filters = [...projects, ...levels, ...environments].map(visible).join(', ');
  return [
    plural(events.length, 'event'),
    filters === '' ? 'all runs' : `only ${filters}`,
    last_success_at === null ? 'nothing delivered' : `delivered ${ago(last_success_at, clock.value)}`,
    ...(failing_since === null ? [] : [`failing since ${exact(failing_since)}`]),
    `made by ${visible(created_by)}`,
  ];
}

function settingsOf({
  name,
  url,
  events,
  projects,
  levels,
  environments,
  enabled,
}: Webhook): WebhookSettings {
  return { name, url, events, projects, levels, environments, enabled };
}

/** What was given up, with a way to send one or all again. */
function DeadDeliveries({ webhook: { id, name, dead: count }, act }: Pick<RowProps, 'webhook' | 'act'>) {
  const { found } = useResource(() => api.listDeadDeliveries({ webhook_id: id }), `${id} ${count}`);
  const resend = (deliveries?: readonly string[]) =>
    act(async () => {
      const { queued } = await api.resendDeadDeliveries({ webhook_id: id, deliveries });
      announcement.value = `${plural(queued, 'delivery', 'deliveries')} queued.`;
    });
  return (
    <section aria-label={`Dead deliveries of ${visible(name)}`}>
      <p class="actions">
        <Button small onClick={() => void resend()}>
          Send all again
        </Button>
      </p>
      <ul class="letters">
        {found?.deliveries.map(({ id: delivery, type, at, attempts, code, status }) => (
          <li key={delivery}>
            <p class="untrusted">
              <b>{type}</b> <code>{visible(delivery)}</code>
              <br />
              <span class="soft">
                {code}
                {status !== null && ` (${status})`}, {plural(attempts, 'attempt')}, given up{' '}
                <time dateTime={at}>{exact(at)}</time>
              </span>
            </p>
            <Button
              small
              aria-label={`Send again: ${visible(delivery)}`}
              onClick={() => void resend([delivery])}
            >
              Send again
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
