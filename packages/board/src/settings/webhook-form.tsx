import type { Input, Webhook } from '@culprit/client';
import { LEVELS } from '@culprit/core/internal/domain/event';
import { EVENT_NAMES, EVENT_TYPES, type EventType } from '@culprit/core/internal/domain/webhook-events';
import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.js';
import { Choices, Labelled } from '../parts/field.js';
import { useSubmit } from '../parts/use-submit.js';
import { report } from '../state/session.js';

/** What is sent to make or to change a webhook. */
export type WebhookSettings = Input<'createWebhook'>;

const FIRST: readonly EventType[] = ['run.draft_ready', 'issue.published', 'issue.publish_failed'];

interface WebhookFormProps {
  /** `null`: a new one. */
  readonly webhook: Webhook | null;
  readonly save: (settings: WebhookSettings) => Promise<void>;
  readonly cancel?: () => void;
}

/** The settings of a webhook. */
export function WebhookForm({ webhook, save, cancel }: WebhookFormProps) {
  const name = useSignal(webhook?.name ?? '');
  const url = useSignal(webhook?.url ?? '');
  const events = useSignal<readonly string[]>(webhook?.events ?? FIRST);
  const projects = useSignal((webhook?.projects ?? []).join(', '));
  const environments = useSignal((webhook?.environments ?? []).join(', '));
  const levels = useSignal<readonly string[]>(webhook?.levels ?? []);
  const { busy, onSubmit } = useSubmit(async () => {
    await save({
      name: name.value,
      url: url.value,
      events: EVENT_NAMES.filter((one) => events.value.includes(one)),
      projects: words(projects.value),
      environments: words(environments.value),
      levels: LEVELS.filter((one) => levels.value.includes(one)),
      enabled: webhook?.enabled ?? true,
    });
    if (webhook !== null) return;
    name.value = '';
    url.value = '';
  }, report);
  const id = webhook?.id ?? 'new-webhook';
  const field = (label: string, part: string, text: typeof name, more: object = {}) => (
    <Labelled id={`${id}-${part}`} label={label} text={text} input={more} />
  );
  const choices = (legend: string, all: readonly string[], chosen: typeof events, meanings = {}) => (
    <Choices
      legend={legend}
      all={all}
      chosen={chosen.value}
      meanings={meanings}
      toggle={(one) => {
        const { value } = chosen;
        chosen.value = value.includes(one) ? value.filter((other) => other !== one) : [...value, one];
      }}
    />
  );
  return (
    <form class="panel" aria-labelledby={id} onSubmit={onSubmit}>
      <h3 id={id}>{webhook === null ? 'New webhook' : 'Change the webhook'}</h3>
      {field('Name: who receives it', 'name', name, { required: true, maxLength: 100 })}
      {field('URL of the receiver', 'url', url, {
        required: true,
        type: 'url',
        placeholder: 'https://ops.example/culprit',
      })}
      {choices('Events', EVENT_NAMES, events, EVENT_TYPES)}
      {choices('Levels; none: all', LEVELS, levels)}
      {field('Projects, separated by commas; empty: all', 'projects', projects)}
      {field('Environments, separated by commas; empty: all', 'environments', environments)}
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || events.value.length === 0}>
          {webhook === null ? 'Make the webhook' : 'Save'}
        </button>
        {cancel !== undefined && <Button onClick={cancel}>Cancel</Button>}
      </div>
    </form>
  );
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
