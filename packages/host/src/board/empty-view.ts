import { h } from './dom.js';

/** What to do while nothing has crashed yet. */
export function emptyView(edgeUrl: string): HTMLElement {
  return h(
    'section',
    { class: 'empty' },
    h('h2', {}, 'Nothing has crashed yet'),
    h(
      'p',
      {},
      'The first crash appears here by itself. To send one, signed, from a shell beside the data directory:',
    ),
    h('pre', { tabindex: '0' }, h('code', {}, curl(edgeUrl))),
    h(
      'p',
      { class: 'hint' },
      'Or give an SDK this DSN: ',
      h('code', {}, `${edgeUrl.replace('://', '://<key of SDK_KEYS>@')}/1`),
    ),
  );
}

function curl(edgeUrl: string): string {
  return `SECRET=$(node -p 'require("./.culprit/secrets.json").trackerHookSecret')  # or TRACKER_HOOK_SECRET
BODY='{ "event_id": "first-1", "platform": "node",
  "stack": "TypeError: total is not a function\\n    at checkout (src/checkout.js:17:9)" }'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -hex | sed 's/^.* //')
curl -sS ${edgeUrl}/webhook/errortracker \\
  -H 'content-type: application/json' \\
  -H "tracker-hook-signature: $SIGNATURE" \\
  -d "$BODY"`;
}
