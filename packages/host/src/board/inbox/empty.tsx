import type { RunSummary } from '@culprit/core';
import { ago, plural, whole } from '../format.js';
import { CodeScroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { guards, openRuns } from '../state/feed.js';
import { textOf } from '../state/guards.js';
import { waits } from './select.js';

/** The edge tells core where it listens, where it says so; otherwise it is where it usually is. */
function edgeUrl(): string {
  return textOf(guards.value[0]?.figures.url) ?? `${location.protocol}//${location.hostname}:8001`;
}

/** Beside the list while no run is open: how to send a first crash, or how to choose one. */
export function Blank() {
  if (openRuns.value.size > 0) {
    return (
      <section class="blank">
        <Overview />
        <p class="soft">
          Choose a run, or press <kbd>J</kbd> for the first one. <kbd>?</kbd> lists every key.
        </p>
      </section>
    );
  }
  const url = edgeUrl();
  return (
    <section class="blank">
      <h2>Nothing waits for you</h2>
      <p class="soft">
        The next crash appears here by itself. To send one, signed, from a shell beside the data directory:
      </p>
      <CodeScroller class="code" label="Command that sends a first crash">
        {curl(url)}
      </CodeScroller>
      <p class="soft">
        Or give an SDK this DSN: <code>{url.replace('://', '://<key of SDK_KEYS>@')}/1</code>
      </p>
    </section>
  );
}

/** Who has to act, and on what first. */
function Overview() {
  const waitingRuns = [...openRuns.value.values()].filter(waits);
  const drafts = waitingRuns.filter(({ state }) => state === 'staged_draft').length;
  const oldest = waitingRuns.reduce<RunSummary | null>(
    (first, run) => (first === null || run.first_seen < first.first_seen ? run : first),
    null,
  );
  return (
    <>
      <h2>
        {waitingRuns.length === 0
          ? 'Nothing waits for you'
          : `${plural(waitingRuns.length, 'run waits', 'runs wait')} for a person`}
      </h2>
      <dl class="tiles">
        <div>
          <dt>Drafts to sign</dt>
          <dd class="big num">{whole(drafts)}</dd>
        </div>
        <div>
          <dt>Crashes to let in</dt>
          <dd class="big num">{whole(waitingRuns.length - drafts)}</dd>
        </div>
        <div>
          <dt>At work</dt>
          <dd class="big num">{whole(openRuns.value.size - waitingRuns.length)}</dd>
        </div>
      </dl>
      {oldest !== null && (
        <p>
          The oldest, first seen {ago(oldest.first_seen, clock.value)}:{' '}
          <a class="untrusted" href={`#${oldest.run_id}`}>
            {visible(oldest.title)}
          </a>
        </p>
      )}
    </>
  );
}

function curl(url: string): string {
  return `SECRET=$(node -p 'require("./.culprit/secrets.json").trackerHookSecret')  # or TRACKER_HOOK_SECRET
BODY='{ "event_id": "first-1", "platform": "node",
  "stack": "TypeError: total is not a function\\n    at checkout (src/checkout.js:17:9)" }'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -hex | sed 's/^.* //')
curl -sS ${url}/webhook/errortracker \\
  -H 'content-type: application/json' \\
  -H "tracker-hook-signature: $SIGNATURE" \\
  -d "$BODY"`;
}
