import type { EdgeFigures } from '@culprit/client/live';
import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { ago, bytes, span, whole } from '../format.js';
import { visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { outOfDate } from '../state/feed.js';
import { guardHistory } from '../state/guards.js';
import { edgesByTrouble, type Trouble } from '../state/trouble.js';
import { Chart } from './chart.js';
import { DeadLetters } from './dead-letters.js';
import { FailedNotifications } from './failed-notifications.js';
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
          <code class="untrusted">{visible(edge)}</code>
        </h3>
        {outOfDate.value !== null && (
          <span class="pill" data-tone="grey">
            not known now
          </span>
        )}
        {outOfDate.value === null && troubles.length === 0 && (
          <span class="pill" data-tone="green">
            healthy
          </span>
        )}
        {troubles.map(({ words }) => (
          <span key={words} class="pill" data-tone="red">
            {words}
          </span>
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
