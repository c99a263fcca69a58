import { type SnoozeUntil, snoozeText } from '@culprit/core/internal/domain/snooze';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { exact } from '../format.js';

/** What the dialog's form holds. */
export interface SnoozeForm {
  readonly option: string;
  /** For `other`: local time as `2026-11-30T09:00`. */
  readonly time: string;
  /** For `crashes`. */
  readonly more: string;
  readonly reason: string;
}

export const NO_SNOOZE: SnoozeForm = { option: 'tomorrow', time: '', more: '10', reason: '' };

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
export function untilOf({ option, time, more }: SnoozeForm, now: Date): SnoozeUntil | null {
  if (option === 'release') return { kind: 'release' };
  if (option === 'crashes') return /^\d{1,6}$/.test(more) ? { kind: 'crashes', more: Number(more) } : null;
  const at = option === 'other' ? new Date(time) : TIMES[option]?.at(now);
  return at === undefined || Number.isNaN(at.getTime()) ? null : { kind: 'time', at: at.toISOString() };
}

/** `until 2026-11-24 09:00`, in the reader's time zone. */
export function snoozeWords(snooze: Parameters<typeof snoozeText>[0]): string {
  return snoozeText(snooze, (iso) => exact(iso).slice(0, 16));
}

interface SnoozeChoiceProps {
  readonly form: Signal<SnoozeForm>;
}

/** Radio buttons: the arrow keys choose, Enter confirms. */
export function SnoozeChoice({ form }: SnoozeChoiceProps) {
  const now = new Date();
  const set = (change: Partial<SnoozeForm>) => {
    form.value = { ...form.value, ...change };
  };
  const option = (name: string, children: ComponentChildren) => (
    <label>
      <input
        type="radio"
        name="snooze"
        value={name}
        checked={form.value.option === name}
        onChange={() => set({ option: name })}
      />
      <span>{children}</span>
    </label>
  );
  return (
    <>
      <fieldset class="choice">
        <legend class="sr">Until when</legend>
        {timesOf(now).map(([name, { label, at }]) => (
          <div key={name}>
            {option(
              name,
              <>
                {label} <span class="soft num">{exact(at(now).toISOString()).slice(0, 16)}</span>
              </>,
            )}
          </div>
        ))}
        <div>
          {option('other', 'Until')}
          <input
            type="datetime-local"
            aria-label="Date and time"
            value={form.value.time}
            required={form.value.option === 'other'}
            onInput={({ currentTarget }) => set({ option: 'other', time: currentTarget.value })}
          />
        </div>
        <div>
          {option('crashes', 'Until it has crashed')}
          <input
            type="number"
            min="1"
            max="999999"
            aria-label="Number of crashes"
            value={form.value.more}
            required={form.value.option === 'crashes'}
            onInput={({ currentTarget }) => set({ option: 'crashes', more: currentTarget.value })}
          />{' '}
          more times
        </div>
        <div>{option('release', 'Until it crashes in a new release')}</div>
      </fieldset>
      <label for="snooze-reason">Reason, optional, stored in the history</label>
      <input
        id="snooze-reason"
        value={form.value.reason}
        maxLength={2_000}
        autocomplete="off"
        onInput={({ currentTarget }) => set({ reason: currentTarget.value })}
      />
    </>
  );
}
