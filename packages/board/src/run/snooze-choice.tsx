import { type SnoozeUntil, snoozeText } from '@culprit/core/internal/domain/snooze';
import { type Signal, signal } from '@preact/signals';
import { exact } from '../format.js';
import { bound, LATEST_TIME, Radios } from '../parts/choices.js';
import { ask, type Question } from '../parts/dialog.js';
import { notice } from '../state/session.js';

/** What a snooze waits for, and why. */
export interface Until {
  readonly until: SnoozeUntil;
  readonly reason: string | undefined;
}

/** What the dialog's form holds. */
interface SnoozeForm {
  readonly option: Signal<string>;
  /** For `other`: local time as `2026-11-30T09:00`. */
  readonly time: Signal<string>;
  /** For `crashes`. */
  readonly more: Signal<string>;
  readonly reason: Signal<string>;
}

/** Asks until when. `null` if the reviewer cancels, or the answer is no time and no number. */
export async function askUntil({ content, ...question }: Question): Promise<Until | null> {
  const form = { option: signal('tomorrow'), time: signal(''), more: signal('10'), reason: signal('') };
  const shown = (
    <>
      {content}
      <SnoozeChoice {...form} />
    </>
  );
  if ((await ask({ ...question, content: shown, focus: 'input:checked' })) === null) return null;
  const until = untilOf(form, new Date());
  if (until === null) {
    notice.value = { tone: 'red', text: 'Nothing was snoozed: choose a time or a number of crashes.' };
    return null;
  }
  return { until, reason: form.reason.value.trim() || undefined };
}

const HOUR_MS = 3_600_000;
const MORNING = 9;
const MONDAY = 1;

const morningAfter = (now: Date, days: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);
const untilMonday = (now: Date) => (MONDAY + 7 - now.getDay()) % 7 || 7;

const TIMES: Readonly<Record<string, { readonly label: string; readonly at: (now: Date) => Date }>> = {
  hour: { label: 'For one hour', at: (now) => new Date(now.getTime() + HOUR_MS) },
  tomorrow: { label: 'Until tomorrow morning', at: (now) => morningAfter(now, 1) },
  monday: { label: 'Until Monday morning', at: (now) => morningAfter(now, untilMonday(now)) },
};

/** On a Sunday, tomorrow is Monday. */
function timesOf(now: Date) {
  return Object.entries(TIMES).filter(([name]) => name !== 'monday' || untilMonday(now) > 1);
}

/** What the form asks for; `null` if it is incomplete. */
function untilOf({ option: { value: option }, time, more }: SnoozeForm, now: Date): SnoozeUntil | null {
  if (option === 'release') return { kind: 'release' };
  if (option === 'crashes')
    return /^\d{1,6}$/.test(more.value) ? { kind: 'crashes', more: Number(more.value) } : null;
  const at = option === 'other' ? new Date(time.value) : TIMES[option]?.at(now);
  return at === undefined || Number.isNaN(at.getTime()) ? null : { kind: 'time', at: at.toISOString() };
}

/** `until 2026-11-24 09:00`, in the reader's time zone. */
export function snoozeWords(snooze: Parameters<typeof snoozeText>[0]): string {
  return snoozeText(snooze, (iso) => exact(iso).slice(0, 16));
}

function SnoozeChoice({ option, time, more, reason }: SnoozeForm) {
  const now = new Date();
  /** Typing chooses the option. */
  const field = (name: string, text: Signal<string>) => ({
    required: option.value === name,
    ...bound(text, () => {
      option.value = name;
    }),
  });
  return (
    <>
      <Radios
        legend="Until when"
        chosen={option}
        options={[
          ...timesOf(now).map(([value, { label, at }]) => ({
            value,
            label: (
              <>
                {label} <span class="soft num">{exact(at(now).toISOString()).slice(0, 16)}</span>
              </>
            ),
          })),
          {
            value: 'other',
            label: 'Until',
            beside: (
              <input
                type="datetime-local"
                max={LATEST_TIME}
                aria-label="Date and time"
                {...field('other', time)}
              />
            ),
          },
          {
            value: 'crashes',
            label: 'Until it has crashed',
            beside: (
              <>
                <input
                  type="number"
                  min="1"
                  max="999999"
                  aria-label="Number of crashes"
                  {...field('crashes', more)}
                />{' '}
                more times
              </>
            ),
          },
          { value: 'release', label: 'Until it crashes in a new release' },
        ]}
      />
      <label for="snooze-reason">Reason, optional, stored in the history</label>
      <input id="snooze-reason" maxLength={2_000} autocomplete="off" {...bound(reason)} />
    </>
  );
}
