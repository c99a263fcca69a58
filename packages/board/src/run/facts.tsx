import type { Run, RunStatistics } from '@culprit/core';
import { clockDiffers } from '@culprit/core/internal/domain/crash-time';
import { commitsText, durationText, type RunRelease } from '@culprit/core/internal/domain/release';
import { REVISION_SOURCE_WORDS } from '@culprit/core/internal/domain/run';
import { sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { exact, plural, whole } from '../format.js';
import { Spark } from '../parts/spark.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { addressOfRelease, shortVersion } from '../releases/address.js';
import { curveOf, wantActivity } from '../state/activity.js';
import { occurrences } from '../state/occurrences.js';

/** The strip below the title. */
export function Facts({ run }: { readonly run: Run }) {
  useEffect(() => wantActivity([run.run_id]), [run.run_id]);
  const curve = curveOf(run);
  const { revision, event } = run;
  const statistics = occurrences.value?.runId === run.run_id ? occurrences.value.statistics : null;
  const users = statistics?.users ?? null;
  const fresh = newIn(run, statistics);
  return (
    <dl class="facts">
      <Fact name="Crashes">
        <span class="big num">{whole(run.occurrences)}</span>
        {curve !== null && <Spark values={curve} width={96} height={22} unit="crashes in 24 hours" />}
      </Fact>
      <Fact name="First seen">
        <When iso={run.first_seen} class="num" />
      </Fact>
      <Fact name="Last seen">
        <When iso={run.last_seen} class="num" />
      </Fact>
      <Fact name="Release">
        {run.releases.length === 0 ? 'unknown' : <ReleaseLinks run={run} />}
        {fresh !== null && <Text of={`new in ${shortened([fresh])}`} class="soft" />}
      </Fact>
      {run.release_window?.deploy && (
        <Fact name="Deployed">
          {durationText(run.release_window.deploy.after_ms)} before the first crash
          <Text of={deployText(run.release_window)} class="soft" />
        </Fact>
      )}
      {users !== null && users.count > 0 && (
        <Fact name="Users">
          <span class="num">
            {users.more ? 'over ' : ''}
            {whole(users.count)}
          </span>
        </Fact>
      )}
      <Fact name="Environment">
        <Text of={run.environments.join(', ') || 'unknown'} />
      </Fact>
      <Fact name="Platform">
        <Text of={run.platform} />
      </Fact>
      <Fact name="Crashed commit">
        {revision === null ? (
          BEFORE_ANALYSIS.has(run.state) ? (
            'determined after Gate 1'
          ) : (
            'unknown'
          )
        ) : (
          <>
            <code>{revision.sha.slice(0, 10)}</code>{' '}
            <span class="soft">{REVISION_SOURCE_WORDS[revision.how]}</span>
          </>
        )}
      </Fact>
      <Fact name="Ingested through">
        <Doors run={run} />
      </Fact>
      {clockDiffers(event) && (
        <Fact name="Sender’s clock">
          {exact(event.timestamp)}, <span class="warn">received {exact(event.received_at)}</span>
        </Fact>
      )}
      {event.redactions > 0 && <Fact name="Redacted">{whole(event.redactions)} values, before storage</Fact>}
    </dl>
  );
}

/** The release in which the crash was first seen; `null` if an earlier one may have had it. */
function newIn(run: Run, statistics: RunStatistics | null): string | null {
  const first = statistics?.releases[0];
  if (first === undefined || statistics?.occurrences !== run.occurrences) return null;
  return run.generation === 1 && run.regression_of === null ? first.name : null;
}

const BEFORE_ANALYSIS: ReadonlySet<Run['state']> = new Set(['staged_raw', 'analyzing']);

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** `2.4.1 to production, 12 commits` */
function deployText({ version, deploy, commits, more_commits }: RunRelease): string {
  const place = `${shortVersion(version)} to ${deploy?.environment ?? ''}`;
  return commits === null ? place : `${place}, ${commitsText(commits, more_commits)}`;
}

/** The last three releases, each with its page. */
function ReleaseLinks({ run: { project, releases } }: { readonly run: Run }) {
  const last = releases.slice(-3);
  return (
    <>
      {last.map((version, index) => (
        <Fragment key={version}>
          {index > 0 && ', '}
          <Text as="a" of={shortVersion(version)} href={addressOfRelease(project, version)} />
        </Fragment>
      ))}
      {releases.length > last.length && ` and ${releases.length - last.length} more`}
    </>
  );
}

/** Abbreviates releases that are commits, and lists at most the last three. */
function shortened(names: readonly string[]): string {
  const short = names.map((name) => (/^[0-9a-f]{40}$/.test(name) ? name.slice(0, 12) : name));
  return short.length <= 3 ? short.join(', ') : `${short.slice(-3).join(', ')} and ${short.length - 3} more`;
}

/** How the crashes were received, with counts, and a warning if anyone could have sent some of them. */
function Doors({ run }: { readonly run: Run }) {
  const sources = sourcesOf(run);
  const { unknown } = trustMix(run);
  return (
    <>
      <span>
        {sources.map(({ door, trust, occurrences }, at) => (
          <span key={`${door} ${trust}`} data-trust={trust}>
            {at > 0 && ', '}
            {door}
            {sources.length > 1 && occurrences > 0 && <span class="num"> ×{whole(occurrences)}</span>}
            {trust === 'untrusted' && <span class="soft"> (public key)</span>}
          </span>
        ))}
      </span>
      {sources.length > 1 && unknown > 0 && (
        <span class="soft">
          {' '}
          and {plural(unknown, 'earlier crash', 'earlier crashes')}, not counted by door
        </span>
      )}
      <Warning run={run} />
    </>
  );
}

function Warning({ run }: { readonly run: Run }) {
  const warning = trustWarning(run);
  return warning === null ? null : <span class="warn"> {warning}</span>;
}

/** `null` if every crash is trusted. */
function trustWarning(run: Run): string | null {
  const { kind, untrusted } = trustMix(run);
  if (kind === 'trusted') return null;
  if (kind === 'untrusted') return 'Every crash came with a public key, so anyone could have sent it.';
  const some =
    untrusted === 0
      ? 'Some crashes'
      : `${whole(untrusted)} of ${plural(run.occurrences, 'crash', 'crashes')}`;
  const shown =
    trustOf(run.event) === 'trusted'
      ? `Shown: the latest trusted crash, through ${run.event.door}.`
      : 'Shown: an untrusted crash that an older version stored.';
  return `${some} came with a public key, so anyone could have sent them. ${shown}`;
}
