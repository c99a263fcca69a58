import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { exact } from '../format.js';
import { addressOfDigest, go } from '../state/route.js';

const HOUR_MS = 3_600_000;
const SHIFTS = [
  ['8 hours', 8],
  ['12 hours', 12],
  ['24 hours', 24],
  ['7 days', 7 * 24],
] as const;

interface PeriodFormProps {
  /** Names the period that was asked for. Only another one replaces what the reader has entered, not a newer digest of the same one. */
  readonly address: string;
  readonly since: string;
  readonly until: string;
}

/** Chooses the period; both ends go to the address, so that a link shows the same shift. */
export function PeriodForm({ address, since, until }: PeriodFormProps) {
  const from = useSignal(localOf(since));
  const to = useSignal(localOf(until));
  useLayoutEffect(() => {
    from.value = localOf(since);
    to.value = localOf(until);
  }, [address]);
  const last = (hours: number) => {
    const now = Date.now();
    go(addressOfDigest(new Date(now - hours * HOUR_MS).toISOString(), new Date(now).toISOString()));
  };
  return (
    <form
      class="period"
      onSubmit={(event) => {
        event.preventDefault();
        // A local time without a zone is the reader's.
        go(addressOfDigest(new Date(from.value).toISOString(), new Date(to.value).toISOString()));
      }}
    >
      <fieldset class="segments">
        <legend class="sr">The last</legend>
        {SHIFTS.map(([label, hours]) => (
          <button key={hours} type="button" onClick={() => last(hours)}>
            {label}
          </button>
        ))}
      </fieldset>
      <label>
        From{' '}
        <input
          type="datetime-local"
          required
          value={from.value}
          max={to.value}
          onInput={({ currentTarget }) => {
            from.value = currentTarget.value;
          }}
        />
      </label>
      <label>
        to{' '}
        <input
          type="datetime-local"
          required
          value={to.value}
          onInput={({ currentTarget }) => {
            to.value = currentTarget.value;
          }}
        />
      </label>
      <span class="soft">{exact(until).slice(20)}</span>
      <button type="submit" class="button small">
        Show
      </button>
      <button type="button" class="button small" onClick={() => window.print()}>
        Print
      </button>
    </form>
  );
}

/** As `<input type="datetime-local">` wants it, to the minute. */
function localOf(iso: string): string {
  return exact(iso).slice(0, 16).replace(' ', 'T');
}
