import type { Answer, Webhook } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural } from '../format.js';
import { visible } from '../parts/text.js';
import { announcement, report } from '../state/session.js';

type Dead = Answer<'listDeadDeliveries', 200>['deliveries'];

interface DeadDeliveriesProps {
  readonly webhook: Webhook;
  /** Runs the work, then reads the webhooks again. */
  readonly act: (work: () => Promise<void>) => Promise<void>;
}

/** What was given up, with a way to send one or all again. */
export function DeadDeliveries({ webhook: { id, name, dead: count }, act }: DeadDeliveriesProps) {
  const dead = useSignal<Dead>([]);
  useEffect(() => {
    api
      .listDeadDeliveries({ webhook_id: id })
      .then(({ deliveries }) => deliveries)
      .then((found) => {
        dead.value = found;
      }, report);
  }, [id, count]);
  const resend = (deliveries?: readonly string[]) =>
    act(async () => {
      const { queued } = await api.resendDeadDeliveries({ webhook_id: id, deliveries });
      announcement.value = `${plural(queued, 'delivery', 'deliveries')} queued.`;
    });
  return (
    <section aria-label={`Dead deliveries of ${visible(name)}`}>
      <p class="actions">
        <button type="button" class="button small" onClick={() => void resend()}>
          Send all again
        </button>
      </p>
      <ul class="letters">
        {dead.value.map(({ id: delivery, type, at, attempts, code, status }) => (
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
            <button
              type="button"
              class="button small"
              aria-label={`Send again: ${visible(delivery)}`}
              onClick={() => void resend([delivery])}
            >
              Send again
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
