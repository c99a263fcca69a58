/** One delivery as sent by the edge; each incident has its own number. */
export function delivery(sequence, now, incident = sequence) {
  const id = `fault-${sequence}`;
  const frames = [
    { filename: 'bin/checkout.js', function: 'main', lineno: 8, in_app: true },
    { filename: 'src/checkout.js', function: 'quote', lineno: 9, in_app: true },
    { filename: 'src/pricing/discounts.js', function: `voucher${word(incident)}`, lineno: 8, in_app: true },
  ];
  const value = "Cannot read properties of undefined (reading 'percent')";
  return {
    sequence,
    event_id: id,
    project: 'default',
    door: 'native',
    tracker: 'native',
    received_at: new Date(now).toISOString(),
    raw_sha256: '0'.repeat(64),
    headers: {},
    attachments: [],
    redactions: 0,
    crash: {
      event_id: id,
      platform: 'node',
      release: 'v2.4.0',
      exception: { values: [{ type: `Crash${word(incident)}`, value, stacktrace: { frames } }] },
    },
  };
}

/** Letters only, because grouping ignores numbers. */
function word(number) {
  let text = '';
  for (let rest = number, at = 0; at < 5; at += 1, rest = Math.floor(rest / 26)) {
    text += String.fromCharCode(97 + (rest % 26));
  }
  return text.charAt(0).toUpperCase() + text.slice(1);
}
