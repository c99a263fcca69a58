import type { RunSummary } from '@culprit/core';
import { edgeUrl } from '../edges/edge-url.js';
import { TestCrash } from '../edges/test-crash.js';
import { ago, plural, whole } from '../format.js';
import { Copy } from '../parts/copy.js';
import { CodeScroller } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { guards, openRuns } from '../state/feed.js';
import { me } from '../state/session.js';
import { waits } from './select.js';

/** Core's data directory, if a shell needs no quotes for it. */
function dataDirectory(): string {
  const path = me.value?.data_directory;
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
      <p class="soft">
        To send your own, see <a href="#/settings/send-crashes">Send crashes</a>: the DSN of each project and
        ready programs.
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
          <Text as="a" of={oldest.title} href={`#${oldest.run_id}`} />
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
