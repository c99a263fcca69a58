import type { Digest } from '@culprit/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural, span, whole } from '../format.js';
import { Button } from '../parts/button.js';
import { bound, LATEST_TIME } from '../parts/choices.js';
import { Page, Section, Tiles } from '../parts/page.js';
import { STATES, StatePill } from '../parts/pill.js';
import { List, Missing } from '../parts/resource.js';
import { Out, Text } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { When } from '../parts/when.js';
import { decisionWords } from '../run/decision-words.js';
import { addressOfDigest, go } from '../state/route.js';

/** A digest that ends now is read again this often. */
const AGAIN_MS = 60_000;

/** The address names the period; without an end it is the one until now. */
interface DigestPageProps {
  readonly since: string | null;
  readonly until: string | null;
}

/** What happened in a shift, for the person who takes over. */
export function DigestPage({ since, until }: DigestPageProps) {
  const address = `${since} ${until}`;
  const load = async () => ({
    address,
    digest: await api.getDigest({ since: since ?? undefined, until: until ?? undefined }),
  });
  const resource = useResource(load, address, until === null ? AGAIN_MS : undefined);
  const { found } = resource;
  if (found === null)
    return (
      <Page title="Digest">
        <Missing {...resource} />
      </Page>
    );
  const { digest } = found;
  return (
    <Page
      title="Digest"
      beside={
        <p class="soft">
          <Time iso={digest.since} /> to <Time iso={digest.until} />
        </p>
      }
    >
      <PeriodForm address={found.address} since={digest.since} until={digest.until} />
      <Figures digest={digest} />
    </Page>
  );
}

function Figures({ digest }: { readonly digest: Digest }) {
  const { waiting, gates, new_runs, failed_analyses, published, rejected, regressions } = digest;
  return (
    <>
      {!digest.complete && (
        <p class="callout" data-tone="amber">
          More runs changed or are waiting than one digest reads. These figures cover the runs with the latest
          activity. Choose a shorter period.
        </p>
      )}
      <Tiles
        tiles={[
          ['New runs', whole(new_runs), plural(regressions.count, 'regression')],
          ['Gate 1', whole(gates.gate1.decisions), waitOf(gates.gate1)],
          ['Gate 2', whole(gates.gate2.decisions), waitOf(gates.gate2)],
          [
            'Published',
            whole(published.count),
            failed_analyses === 0 ? '' : plural(failed_analyses, 'failed analysis', 'failed analyses'),
          ],
          ['Rejected', whole(rejected.count)],
          ['Waiting now', whole(waiting.gate1 + waiting.gate2), `${whole(waiting.gate2)} at Gate 2`],
        ]}
      />
      <Runs
        name="Oldest waiting"
        runs={waiting.oldest}
        facts={({ state, first_seen }) => (
          <>
            <StatePill state={state} /> first seen <Time iso={first_seen} />
          </>
        )}
      />
      <Runs
        name="Regressions"
        {...regressions}
        facts={({ at, state, regression_of }) => (
          <>
            <Time iso={at} />, now {STATES[state].words}, <a href={`#${regression_of}`}>earlier run</a>
          </>
        )}
      />
      <Runs
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
      <Runs
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
    <When iso={iso} class="num">
      {exact(iso).slice(0, 16)} {exact(iso).slice(20)}
    </When>
  );
}

interface RunsProps<Run> {
  readonly name: string;
  /** Default: the number of runs. */
  readonly count?: number;
  readonly runs: readonly Run[];
  readonly facts: (run: Run) => ComponentChildren;
}

function Runs<Run extends { readonly run_id: string; readonly title: string }>({
  name,
  runs,
  count = runs.length,
  facts,
}: RunsProps<Run>) {
  if (runs.length === 0) return null;
  return (
    <Section title={name} count={whole(count)}>
      <List
        title={name}
        rows={runs.map((run) => ({
          key: run.run_id,
          name: run.title,
          title: <Text as="a" of={run.title} href={`#${run.run_id}`} />,
          rest: <p class="soft">{facts(run)}</p>,
        }))}
      />
      {runs.length < count && <p class="soft">and {whole(count - runs.length)} more</p>}
    </Section>
  );
}

function Reviewers({ reviewers }: Pick<Digest, 'reviewers'>) {
  if (reviewers.length === 0) return null;
  return (
    <Section title="Reviewers" count={whole(reviewers.length)}>
      <List
        title="Reviewers"
        rows={reviewers.map(({ name, decisions }) => ({
          key: name,
          name,
          facts: [
            Object.entries(decisions)
              .map(([decision, count]) => `${decisionWords(decision)} × ${whole(count)}`)
              .join(', '),
          ],
        }))}
      />
    </Section>
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
      class="period flow"
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
        From <input type="datetime-local" required max={to.value || LATEST_TIME} {...bound(from)} />
      </label>
      <label>
        to <input type="datetime-local" required max={LATEST_TIME} {...bound(to)} />
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
