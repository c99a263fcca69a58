import type { RunSummary } from '@culprit/core/model';
import { textOf } from '../../live/edge-figures.js';
import { TestCrash } from '../edges/test-crash.js';
import { ago, plural, whole } from '../format.js';
import { Copy } from '../parts/copy.js';
import { CodeScroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { guards, openRuns } from '../state/feed.js';
import { who } from '../state/session.js';
import { waits } from './select.js';

/** The URL that the edge reports, otherwise the default. An edge that listens on every address is reached by the board's host. */
function edgeUrl(): string {
  const reported = textOf(guards.value[0]?.figures.url);
  if (reported === null || !/^https?:\/\/[\w.:[\]-]+$/.test(reported))
    return `${location.protocol}//${location.hostname}:8001`;
  return reported.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, `//${location.hostname}`);
}

/** Core's data directory, if a shell needs no quotes for it. */
function dataDirectory(): string {
  const me = who.value;
  const path = me === null || me === 'unknown' ? undefined : me.data_directory;
  return path !== undefined && /^\/[\w./-]+$/.test(path) ? path : './.culprit';
}

/** Shown while no run is open: an overview, or how to send a first crash. */
export function Blank() {
  if (openRuns.value.size > 0) {
    return (
      <section class="blank">
        <Overview />
        <p class="soft">
          Select a run, or press <kbd>J</kbd> for the first one. <kbd>?</kbd> lists all shortcuts.
        </p>
      </section>
    );
  }
  const url = edgeUrl();
  const edge = guards.value[0]?.edge;
  return (
    <section class="blank">
      <h2>Nothing to review</h2>
      {edge !== undefined && <TestCrash edge={edge} />}
      <p class="soft">
        New runs appear here automatically. To send a signed test crash, run this on the machine of core:
      </p>
      <CodeScroller class="code" label="Command that sends a test crash">
        {curl(url)}
      </CodeScroller>
      <p>
        <Copy what="the command" text={curl(url)} label="Copy command" />
      </p>
      <p class="soft">Or send crashes with an SDK. This prints its DSN:</p>
      <CodeScroller class="code" label="Command that prints the DSN">
        {dsn(url)}
      </CodeScroller>
      <p>
        <Copy what="the command that prints the DSN" text={dsn(url)} label="Copy command" />
      </p>
    </section>
  );
}

function Overview() {
  const waitingRuns = [...openRuns.value.values()].filter(waits);
  const snoozed = [...openRuns.value.values()].filter(({ state }) => state === 'snoozed').length;
  const drafts = waitingRuns.filter(({ state }) => state === 'staged_draft').length;
  const oldest = waitingRuns.reduce<RunSummary | null>(
    (first, run) => (first === null || run.first_seen < first.first_seen ? run : first),
    null,
  );
  return (
    <>
      <h2>
        {waitingRuns.length === 0 ? 'Nothing to review' : `${plural(waitingRuns.length, 'run')} to review`}
      </h2>
      <dl class="tiles">
        <div>
          <dt>Waiting at Gate 2</dt>
          <dd class="big num">{whole(drafts)}</dd>
        </div>
        <div>
          <dt>Waiting at Gate 1</dt>
          <dd class="big num">{whole(waitingRuns.length - drafts)}</dd>
        </div>
        <div>
          <dt>In progress</dt>
          <dd class="big num">{whole(openRuns.value.size - waitingRuns.length - snoozed)}</dd>
        </div>
        {snoozed > 0 && (
          <div>
            <dt>Snoozed</dt>
            <dd class="big num">{whole(snoozed)}</dd>
          </div>
        )}
      </dl>
      {oldest !== null && (
        <p>
          Oldest, first seen {ago(oldest.first_seen, clock.value)}:{' '}
          <a class="untrusted" href={`#${oldest.run_id}`}>
            {visible(oldest.title)}
          </a>
        </p>
      )}
    </>
  );
}

function curl(url: string): string {
  return `SECRET=$(node -p 'require("${dataDirectory()}/secrets.json").trackerHookSecret')  # or TRACKER_HOOK_SECRET
BODY='{ "event_id": "first-1", "platform": "node",
  "stack": "TypeError: total is not a function\\n    at checkout (src/checkout.js:17:9)" }'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -hex | sed 's/^.* //')
curl -sS ${url}/webhook/errortracker \\
  -H 'content-type: application/json' \\
  -H "tracker-hook-signature: $SIGNATURE" \\
  -d "$BODY"`;
}

/** For any Sentry SDK. */
function dsn(url: string): string {
  const [scheme = '', place = ''] = url.split('://');
  return `KEY=$(node -p 'require("${dataDirectory()}/secrets.json").sdkKey')  # or SDK_KEYS
echo "${scheme}://$KEY@${place}/1"`;
}
