import type { EdgeFigures } from '@culprit/client/live';
import { type EdgePoint, numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { ago, bytes, plural, span, whole } from '../format.js';
import { Page, Section, Tiles } from '../parts/page.js';
import { Pill, STATES } from '../parts/pill.js';
import { List } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { outOfDate } from '../state/feed.js';
import { guardHistory } from '../state/guards.js';
import { may } from '../state/session.js';
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
    <Page title="Edges" wide>
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
    </Page>
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
    <section class="edge panel" aria-label={`Edge ${visible(edge)}`}>
      <header>
        <h3>
          <Text as="code" of={edge} />
        </h3>
        {outOfDate.value !== null && <Pill tone="grey">currently unknown</Pill>}
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
      <Tiles
        tiles={[
          ['Spool', whole(numberOf(spool.depth)), bytes(numberOf(spool.bytes))],
          ['Oldest in spool', typeof oldest === 'number' ? span(oldest) : 'empty'],
          ['Forwarder', state, textOf(forwarder.last_error) ?? ''],
          ['Dead letters', whole(numberOf(figures.dead_letters)), 'rejected by core'],
          ['Crashes accepted', whole(numberOf(figures.crashes)), 'since start'],
        ]}
      />
      <div class="charts">
        {CHARTS.map((chart) => (
          <Chart key={chart.name} {...chart} points={points} />
        ))}
      </div>
      <GuardTable limits={figures.limits} />
      <EdgeLimits edge={edge} />
      <Outcomes outcomes={figures.outcomes} dropped={figures.dropped} />
      <DeadLetters edge={edge} count={numberOf(figures.dead_letters)} />
    </section>
  );
}

interface ChartOf {
  readonly name: string;
  readonly pick: (point: EdgePoint) => number;
  /** True for counters: the chart shows their rate. */
  readonly rate?: boolean;
  readonly format: (value: number) => string;
}

const perSecond = (value: number) => value.toFixed(value < 10 && value > 0 ? 1 : 0);

const CHARTS: readonly ChartOf[] = [
  { name: 'Accepted per second', pick: ({ accepted }) => accepted, rate: true, format: perSecond },
  { name: 'Refused per second', pick: ({ refused }) => refused, rate: true, format: perSecond },
  { name: 'Spool depth', pick: ({ depth }) => depth, format: whole },
  { name: 'Age of oldest', pick: ({ oldest_ms }) => oldest_ms, format: span },
];

const WIDTH = 240;
const HEIGHT = 48;

interface ChartProps extends ChartOf {
  readonly points: readonly EdgePoint[];
}
interface Value {
  readonly at: number;
  readonly value: number;
}

/** One figure of the last hour over time. The vertical axis starts at zero. */
function Chart({ name, pick, rate = false, format, points }: ChartProps) {
  const counted = points.map((point) => ({ at: point.at, value: pick(point) }));
  const shown = rate ? rateOf(counted) : counted;
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
function rateOf(points: readonly Value[]): readonly Value[] {
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
  const { act } = useResource(readFailedNotifications, '', AGAIN_MS);
  const all = failedNotifications.value;
  if (all.length === 0) return null;
  return (
    <Section title="Failed notifications" count={<Pill tone="red">{plural(all.length, 'run')}</Pill>} panel>
      <List
        title="Failed notifications"
        {...(may('operate') && { act })}
        rows={all.map(({ connector, run_id, state, at, attempts, code, detail }) => {
          const key = `${connector} ${run_id} ${at}`;
          const isQueued = queued.value.has(key);
          return {
            key,
            name: `${connector} for ${run_id}`,
            title: (
              <>
                <b>{visible(connector)}</b>: <Text as="a" of={run_id} href={`#${run_id}`} />
              </>
            ),
            facts: [`${STATES[state].words}, ${plural(attempts, 'attempt')}, given up ${ago(at)}`],
            rest: (
              <p class="untrusted">
                <code>{visible(code)}</code> {visible(detail)}
              </p>
            ),
            actions: [
              {
                label: isQueued ? 'Queued' : 'Retry',
                disabled: isQueued,
                async run() {
                  await api.retryNotification({ connector, run_id });
                  queued.value = new Set(queued.value).add(key);
                  return 'Queued. A success removes the notification from this list.';
                },
              },
            ],
          };
        })}
      />
    </Section>
  );
}
