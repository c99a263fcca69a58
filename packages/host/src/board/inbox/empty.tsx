import { CodeScroller } from '../parts/scroller.js';
import { guards, openRuns } from '../state/feed.js';
import { textOf } from '../state/guards.js';

/** The edge tells core where it listens, where it says so; otherwise it is where it usually is. */
function edgeUrl(): string {
  return textOf(guards.value[0]?.figures.url) ?? `${location.protocol}//${location.hostname}:8001`;
}

/** Beside the list while no run is open: how to send a first crash, or how to choose one. */
export function Blank() {
  if (openRuns.value.size > 0) {
    return (
      <section class="blank">
        <h2>Nothing is open here</h2>
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
