import t from 'tap';
import { faultRun } from '../support/fault-run.js';

/** Where GitLab's answers differ from GitHub's. */
const GITLAB_ROWS =
  '^(503|429 without Retry-After|connection reset after|listing lag 8 min, response lost|repository (renamed|archived)|issue transferred.*|commits 429.*)$';
/** Forgejo moves no issues, and its list has no lag of its own. */
const FORGEJO_ROWS =
  '^(502 after the issue was created|429 without Retry-After|connection reset after|timeout after the issue was created|a response that is not JSON|token refused at the POST|repository (renamed|archived))$';
const OUTBOX_ROUNDS = 12;

t.setTimeout(1_300_000);

function table(t: Parameters<typeof faultRun>[0], host: string, rows: string) {
  return faultRun(t, 'publish', [
    ...['--host', host, '--rows', rows, '--kills', 'during,after'],
    ...['--parallel', '6', '--rounds', '0'],
  ]);
}

t.test('failing replies of GitLab and an outbox, core killed around each: exactly one issue', async (t) => {
  // Both mostly wait, so they run in parallel.
  const [found, kills] = await Promise.all([
    table(t, 'gitlab', GITLAB_ROWS),
    faultRun(t, 'publish', ['--host', 'outbox', '--rows', '', '--rounds', String(OUTBOX_ROUNDS)]),
  ]);
  t.match(found, { host: 'gitlab', scenarios: 16, failed: 0, doubled: 0, lost: 0 });
  const [rounds, none] = [OUTBOX_ROUNDS, { stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 }];
  t.match(kills, { host: 'outbox', random: { rounds, kills: rounds, ...none } });
  t.comment(`table ${found.seconds} s; kills: ${JSON.stringify(kills.random.where)}, ${kills.seconds} s`);
});

t.test('failing replies of Forgejo, core killed around each: exactly one issue', async (t) => {
  const found = await table(t, 'forgejo', FORGEJO_ROWS);
  t.match(found, { host: 'forgejo', scenarios: 16, failed: 0, doubled: 0, lost: 0 });
});
