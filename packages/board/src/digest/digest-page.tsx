import type { Digest } from '@culprit/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural, span, whole } from '../format.js';
import { Button } from '../parts/button.js';
import { STATES, StatePill } from '../parts/pill.js';
import { Out, Text, visible } from '../parts/text.js';
import { decisionWords } from '../run/decision-words.js';
import { addressOfDigest, go } from '../state/route.js';
import { report } from '../state/session.js';

/** A digest that ends now is read again this often. */
const AGAIN_MS = 60_000;

/** The address names the period; without an end it is the one until now. */
export interface DigestPageProps {
  readonly since: string | null;
  readonly until: string | null;
}

/** What happened in a shift, for the person who takes over. */
export function DigestPage({ since, until }: DigestPageProps) {
  const loaded = useSignal<{ readonly address: string; readonly digest: Digest } | null>(null);
  useEffect(() => {
    let current = true;
    const read = async () => {
      try {
        const found = await api.getDigest({
          ...(since === null ? {} : { since }),
          ...(until === null ? {} : { until }),
        });
        if (current) loaded.value = { address: `${since} ${until}`, digest: found };
      } catch (error) {
        if (current) report(error);
      }
    };
    void read();
    const timer = until === null ? window.setInterval(read, AGAIN_MS) : 0;
    return () => {
      current = false;
      window.clearInterval(timer);
    };
  }, [since, until]);
  const found = loaded.value?.digest ?? null;
  return (
    <div class="shift">
      <header>
        <h2>Digest</h2>
        {found !== null && (
          <p class="soft">
            <Time iso={found.since} /> to <Time iso={found.until} />
          </p>
        )}
      </header>
      {found !== null && (
        <PeriodForm address={loaded.value?.address ?? ''} since={found.since} until={found.until} />
      )}
      {found === null ? <p class="none">Loading…</p> : <Figures digest={found} />}
    </div>
  );
}

function Figures({ digest }: { readonly digest: Digest }) {
  const { waiting, gates, new_runs, failed_analyses, published, rejected, regressions } = digest;
  return (
    <>
      {!digest.complete && (
        <p class="callout" data-tone="amber">
          More runs changed or wait than one digest reads. These figures cover those with the latest activity.
          Choose a shorter period.
        </p>
      )}
      <dl class="tiles">
        <Tile name="New runs" value={whole(new_runs)} rest={plural(regressions.count, 'regression')} />
        <Tile name="Gate 1" value={whole(gates.gate1.decisions)} rest={waitOf(gates.gate1)} />
        <Tile name="Gate 2" value={whole(gates.gate2.decisions)} rest={waitOf(gates.gate2)} />
        <Tile
          name="Published"
          value={whole(published.count)}
          rest={failed_analyses === 0 ? '' : plural(failed_analyses, 'failed analysis', 'failed analyses')}
        />
        <Tile name="Rejected" value={whole(rejected.count)} rest="" />
        <Tile
          name="Waiting now"
          value={whole(waiting.gate1 + waiting.gate2)}
          rest={`${whole(waiting.gate2)} at Gate 2`}
        />
      </dl>
      <Part
        name="Oldest waiting"
        runs={waiting.oldest}
        facts={({ state, first_seen }) => (
          <>
            <StatePill state={state} /> first seen <Time iso={first_seen} />
          </>
        )}
      />
      <Part
        name="Regressions"
        {...regressions}
        facts={({ at, state, regression_of }) => (
          <>
            <Time iso={at} />, now {STATES[state].words}, <a href={`#${regression_of}`}>earlier run</a>
          </>
        )}
      />
      <Part
        name="Published"
        {...published}
        facts={({ at, number, issue_url, reopened }) => (
          <>
            <Time iso={at} />,{' '}
            <Out to={issue_url}>
              {reopened ? 'a comment on issue' : 'issue'} #{number}
            </Out>
          </>
        )}
      />
      <Reviewers reviewers={digest.reviewers} />
      <Part
        name="Rejected"
        {...rejected}
        facts={({ at, by, reason }) => (
          <>
            <Time iso={at} /> by <Text of={by ?? 'an unknown reviewer'} />
            {reason !== null && (
              <>
                : <Text as="q" of={reason} />
              </>
            )}
          </>
        )}
      />
    </>
  );
}

function waitOf({ median_wait_ms: ms }: Digest['gates']['gate1']): string {
  return ms === null ? 'no decision' : `decided, median wait ${span(ms)}`;
}

function Time({ iso }: { readonly iso: string }) {
  return (
    <time class="num" dateTime={iso} title={exact(iso)}>
      {exact(iso).slice(0, 16)} {exact(iso).slice(20)}
    </time>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly rest: string;
}

function Tile({ name, value, rest }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="big num">{value}</span> <span class="soft">{rest}</span>
      </dd>
    </div>
  );
}

interface PartProps<Run> {
  readonly name: string;
  /** Default: the number of runs. */
  readonly count?: number;
  readonly runs: readonly Run[];
  readonly facts: (run: Run) => ComponentChildren;
}

function Part<Run extends { readonly run_id: string; readonly title: string }>({
  name,
  runs,
  count = runs.length,
  facts,
}: PartProps<Run>) {
  if (runs.length === 0) return null;
  return (
    <section aria-label={name}>
      <h3>
        {name} <span class="soft num">{whole(count)}</span>
      </h3>
      <ul>
        {runs.map((run) => (
          <li key={run.run_id}>
            <Text as="a" of={run.title} href={`#${run.run_id}`} />
            <span class="soft">{facts(run)}</span>
          </li>
        ))}
        {runs.length < count && <li class="soft">and {whole(count - runs.length)} more</li>}
      </ul>
    </section>
  );
}

function Reviewers({ reviewers }: Pick<Digest, 'reviewers'>) {
  if (reviewers.length === 0) return null;
  return (
    <section aria-label="Reviewers">
      <h3>
        Reviewers <span class="soft num">{whole(reviewers.length)}</span>
      </h3>
      <ul>
        {reviewers.map(({ name, decisions }) => (
          <li key={name}>
            <Text as="b" of={name} />
            <span class="soft">
              {Object.entries(decisions)
                .map(([decision, count]) => `${visible(decisionWords(decision))} × ${whole(count)}`)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

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
function PeriodForm({ address, since, until }: PeriodFormProps) {
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
      <Button small onClick={() => window.print()}>
        Print
      </Button>
    </form>
  );
}

/** As `<input type="datetime-local">` wants it, to the minute. */
function localOf(iso: string): string {
  return exact(iso).slice(0, 16).replace(' ', 'T');
}
