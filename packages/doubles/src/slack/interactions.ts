import { createHmac, randomBytes } from 'node:crypto';
import { CHANNEL, type Json, SIGNING_SECRET, timeOf, type Workspace } from './workspace.js';

/** How long a trigger id can open a form. */
const TRIGGER_MS = 3_000;
/** How long a response URL can be used. */
const HOOK_MS = 30 * 60_000;

export interface OpenedForm {
  readonly user: string;
  readonly view: Json;
}
/** A request as Slack sends it to the app's Request URL. */
export interface Interaction {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface PressOptions {
  readonly user: string;
  readonly action: 'culprit.approve' | 'culprit.reject';
  /** Replaces the value of the message's current button: an outdated button. */
  readonly value?: string;
  /** Seconds since 1970. */
  readonly at?: number;
  readonly secret?: string;
}

const now = () => Math.floor(Date.now() / 1_000);

/** A button press on the latest message: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export function press(workspace: Workspace, url: string, options: PressOptions): Interaction {
  const { user, action, value, at = now(), secret = SIGNING_SECRET } = options;
  const message = workspace.messages.at(-1);
  const actions = message?.blocks.find(({ type }) => type === 'actions') as { elements: Json[] } | undefined;
  const button = actions?.elements.find(({ action_id }) => action_id === action);
  const trigger = `${randomBytes(6).toString('hex')}.1.abc`;
  const hook = `/actions/T1/1/${randomBytes(12).toString('hex')}`;
  workspace.triggers.set(trigger, { user, until: Date.now() + TRIGGER_MS });
  workspace.hooks.set(hook, { user, until: timeOf(workspace) + HOOK_MS, uses: 0 });
  const payload = {
    type: 'block_actions',
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: 'T1' },
    api_app_id: 'A1',
    token: 'deprecated',
    container: { type: 'message', message_ts: message?.ts, channel_id: CHANNEL, is_ephemeral: false },
    trigger_id: trigger,
    team: { id: 'T1', domain: 'acme' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: CHANNEL, name: 'incidents' },
    message: { type: 'message', ts: message?.ts, text: message?.text, bot_id: 'B1' },
    state: { values: {} },
    response_url: `${url}${hook}`,
    actions: [
      {
        type: 'button',
        action_id: action,
        block_id: 'culprit.gate',
        value: value ?? button?.value,
        action_ts: `${at}.000001`,
      },
    ],
  };
  return signed(payload, at, secret);
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function submit({ user, view }: OpenedForm, reason: string, to?: string): Interaction {
  const values: Json = {
    reason: { reason: { type: 'plain_text_input', value: reason === '' ? null : reason } },
  };
  if (to !== undefined) values.to = { to: { type: 'radio_buttons', selected_option: { value: to } } };
  const payload = {
    type: 'view_submission',
    team: { id: 'T1' },
    user: { id: user },
    view: { ...view, id: 'V1', state: { values } },
    response_urls: [],
  };
  return signed(payload, now(), SIGNING_SECRET);
}

function signed(payload: Json, at: number, secret: string): Interaction {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': `v0=${signature}`,
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    },
  };
}
