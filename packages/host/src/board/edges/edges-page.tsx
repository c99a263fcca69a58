import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EdgeFigures } from '../../live-client/index.js';
import { ago, bytes, span, whole } from '../format.js';
import { visible } from '../parts/text.js';
import { guards } from '../state/feed.js';
import { guardHistory, numberOf, objectOf, textOf } from '../state/guards.js';
import { Chart } from './chart.js';
import { DeadLetters } from './dead-letters.js';
import { GuardTable, Outcomes } from './guard-table.js';
import { Quotas } from './quotas.js';

/** An edge that has not reported for this long is shown as silent. */
const SILENT_MS = 60_000;

/** Every known edge: spool, guards, outcomes, dead letters. */
export function EdgesPage() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => window.clearInterval(timer);
  }, []);
  const all = guards.value;
  return (
    <div class="edges">
      <h2>Edges</h2>
      {all.length === 0 && (
        <p class="soft">
          No edge has connected to this core since it started. An edge reports its figures with each batch,
          and every few seconds while idle.
        </p>
      )}
      {all.map((edge) => (
        <Edge key={edge.edge} latest={edge} now={now.value} />
      ))}
      <Quotas />
    </div>
  );
}

function Edge({ latest, now }: { readonly latest: EdgeFigures; readonly now: number }) {
  const { edge, received_at, figures } = latest;
  const points = guardHistory.value.get(edge) ?? [];
  const silent = now - Date.parse(received_at) > SILENT_MS;
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
        <span class="pill" data-tone={silent ? 'red' : 'green'}>
          {silent ? 'silent' : 'connected'}
        </span>
        <span class="soft">
          last report <time dateTime={received_at}>{ago(received_at, now)}</time>
          {textOf(figures.started_at) !== null && `, started ${ago(textOf(figures.started_at) ?? '', now)}`}
        </span>
      </header>
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
          points={points.map(({ at, oldestMs }) => ({ at, value: oldestMs }))}
          format={span}
        />
      </div>
      <GuardTable limits={figures.limits} />
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
