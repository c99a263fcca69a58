import type { EdgeFigures } from '@culprit/client/live';
import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, bytes, plural, span, whole } from '../format.js';
import { Button } from '../parts/button.js';
import { Pill, STATES } from '../parts/pill.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { outOfDate } from '../state/feed.js';
import { guardHistory } from '../state/guards.js';
import { announcement, report } from '../state/session.js';
import {
  edgesByTrouble,
  failedNotifications,
  readFailedNotifications,
  type Trouble,
} from '../state/trouble.js';
import { DeadLetters } from './dead-letters.js';
import { GuardTable, Outcomes } from './guard-table.js';
import { EdgeLimits } from './limit-form.js';
import { Quotas } from './quotas.js';
import { TestCrash } from './test-crash.js';

/** Every known edge, the worst first: spool, guards, outcomes, dead letters; then failed notifications and quotas. */
export function EdgesPage() {
  const all = edgesByTrouble.value;
  return (
    <div class="edges">
      <h2>Edges</h2>
      {all.length === 0 && (
        <p class="soft">
          No edge has connected to this core since it started. An edge reports its figures with each batch,
          and every few seconds while idle.
        </p>
      )}
      {all.map(({ latest, troubles }) => (
        <Edge key={latest.edge} latest={latest} troubles={troubles} now={clock.value} />
      ))}
      <FailedNotifications />
      <Quotas />
    </div>
  );
}

interface EdgeProps {
  readonly latest: EdgeFigures;
  readonly troubles: readonly Trouble[];
  readonly now: number;
}

function Edge({ latest, troubles, now }: EdgeProps) {
  const { edge, received_at, figures } = latest;
  const points = guardHistory.value.get(edge) ?? [];
  const spool = objectOf(figures.spool);
  const forwarder = objectOf(figures.forwarder);
  const oldest = spool.oldest_age_ms;
  const state = textOf(forwarder.state) ?? 'unknown';
  return (
    <section class="edge" aria-label={`Edge ${edge}`}>
      <header>
        <h3>
          <Text as="code" of={edge} />
        </h3>
        {outOfDate.value !== null && <Pill tone="grey">not known now</Pill>}
        {outOfDate.value === null && troubles.length === 0 && <Pill tone="green">healthy</Pill>}
        {troubles.map(({ words }) => (
          <Pill key={words} tone="red">
            {words}
          </Pill>
        ))}
        <span class="soft">
          last report <time dateTime={received_at}>{ago(received_at, now)}</time>
          {textOf(figures.started_at) !== null && `, started ${ago(textOf(figures.started_at) ?? '', now)}`}
        </span>
      </header>
      <TestCrash edge={edge} />
      <dl class="tiles">
        <Tile name="Spool" value={whole(numberOf(spool.depth))} rest={bytes(numberOf(spool.bytes))} />
        <Tile name="Oldest in spool" value={typeof oldest === 'number' ? span(oldest) : 'empty'} rest="" />
        <Tile name="Forwarder" value={visible(state)} rest={visible(textOf(forwarder.last_error) ?? '')} />
        <Tile name="Dead letters" value={whole(numberOf(figures.dead_letters))} rest="rejected by core" />
        <Tile name="Crashes accepted" value={whole(numberOf(figures.crashes))} rest="since start" />
      </dl>
      <div class="charts">
        <Chart
          name="Accepted per second"
          points={points.map(({ at, accepted }) => ({ at, value: accepted }))}
          rate
          format={(value) => value.toFixed(value < 10 && value > 0 ? 1 : 0)}
        />
        <Chart
          name="Refused per second"
          points={points.map(({ at, refused }) => ({ at, value: refused }))}
          rate
          format={(value) => value.toFixed(value < 10 && value > 0 ? 1 : 0)}
        />
        <Chart
          name="Spool depth"
          points={points.map(({ at, depth }) => ({ at, value: depth }))}
          format={whole}
        />
        <Chart
          name="Age of oldest"
          points={points.map(({ at, oldest_ms }) => ({ at, value: oldest_ms }))}
          format={span}
        />
      </div>
      <GuardTable limits={figures.limits} />
      <EdgeLimits edge={edge} />
      <Outcomes outcomes={figures.outcomes} dropped={figures.dropped} />
      <DeadLetters edge={edge} count={numberOf(figures.dead_letters)} />
    </section>
  );
}

function Tile({
  name,
  value,
  rest,
}: {
  readonly name: string;
  readonly value: string;
  readonly rest: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="big num">{value}</span> <span class="soft untrusted">{rest}</span>
      </dd>
    </div>
  );
}

interface ChartProps {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** True for counters: the chart shows their rate. */
  readonly rate?: boolean;
  readonly format: (value: number) => string;
}

const WIDTH = 240;
const HEIGHT = 48;

/** One figure of the last hour over time. The vertical axis starts at zero. */
function Chart({ name, points, rate = false, format }: ChartProps) {
  const shown = rate ? perSecond(points) : points;
  const values = shown.map(({ value }) => value);
  const most = Math.max(...values, 0);
  const first = shown[0]?.at ?? 0;
  const last = shown.at(-1)?.at ?? 0;
  const x = (at: number) => (last === first ? WIDTH : ((at - first) / (last - first)) * WIDTH);
  const y = (value: number) => HEIGHT - 2 - (most === 0 ? 0 : (value / most) * (HEIGHT - 6));
  const line = shown.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <figure class="chart">
      <figcaption>
        {name} <b class="num">{format(values.at(-1) ?? 0)}</b>
      </figcaption>
      <div class="plot">
        <span class="axis-y num" aria-hidden="true">
          <span>{format(most)}</span>
          <span>{most === 0 ? '' : '0'}</span>
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {shown.length > 1 && (
            <>
              <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
              <polyline points={line} vector-effect="non-scaling-stroke" />
            </>
          )}
        </svg>
      </div>
      <p class="axis-x num">
        <span>{shown.length > 1 ? ago(new Date(first).toISOString(), last) : ''}</span>
        <span class="sr">, peak {format(most)}, </span>
        <span>latest report</span>
      </p>
    </figure>
  );
}

/** An edge that restarts counts from zero; such a step is not a rate. */
function perSecond(points: ChartProps['points']): ChartProps['points'] {
  return points.slice(1).map(({ at, value }, index) => {
    const before = points[index];
    const seconds = before === undefined ? 0 : (at - before.at) / 1000;
    const change = before === undefined ? 0 : value - before.value;
    return { at, value: seconds <= 0 ? 0 : Math.max(0, change / seconds) };
  });
}

const AGAIN_MS = 5_000;

/** Notifications that Culprit has given up, with a retry for each. Absent if there are none. */
function FailedNotifications() {
  const queued = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const read = () => void readFailedNotifications().catch(report);
    read();
    const timer = window.setInterval(read, AGAIN_MS);
    return () => window.clearInterval(timer);
  }, []);
  const all = failedNotifications.value;
  if (all.length === 0) return null;
  const retry = async (connector: string, runId: string, key: string) => {
    try {
      await api.retryNotification({ connector, run_id: runId });
      queued.value = new Set(queued.value).add(key);
      announcement.value = 'Queued. A success removes the notification from this list.';
    } catch (error) {
      report(error);
    }
  };
  return (
    <section class="quotas" aria-labelledby="failed-notifications">
      <h3 id="failed-notifications">
        Failed notifications <Pill tone="red">{plural(all.length, 'run')}</Pill>
      </h3>
      <ul class="letters">
        {all.map(({ connector, run_id, state, at, attempts, code, detail }) => {
          const key = `${connector} ${run_id} ${at}`;
          return (
            <li key={key}>
              <p class="untrusted">
                <b>{visible(connector)}</b>: <a href={`#${run_id}`}>{visible(run_id)}</a>{' '}
                <span class="soft">
                  {STATES[state].words}, {plural(attempts, 'attempt')}, given up{' '}
                  <time dateTime={at}>{ago(at)}</time>
                </span>
                <br />
                <code>{visible(code)}</code> {visible(detail)}
              </p>
              <Button
                small
                disabled={queued.value.has(key)}
                aria-label={`Retry ${visible(connector)} for ${visible(run_id)}`}
                onClick={() => void retry(connector, run_id, key)}
              >
                {queued.value.has(key) ? 'Queued' : 'Retry'}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
