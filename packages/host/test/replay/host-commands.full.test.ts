import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '@culprit/core/internal/domain/source';
import t from 'tap';
import { readIssueText } from '../support/outbox-issue.js';
import { BIN, culprit, type Ended } from '../support/run-culprit.js';
import { up } from '../support/up.js';

t.setTimeout(300_000);

t.test('trigger, listen, record, runs, replay and verify against running servers', async (t) => {
  const servers = await up(t.testdir());
  t.teardown(servers.stop);
  const at = ['--url', servers.core, '--edge-url', servers.edge, '--data', servers.data];
  const json = async (ended: Promise<Ended>) => {
    const { code, stdout, stderr } = await ended;
    return { code, stderr, ...JSON.parse(stdout) };
  };

  const listener = spawn(
    process.execPath,
    [BIN, 'listen', '--format', 'json', '--url', servers.core, '--data', servers.data],
    { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  t.teardown(() => listener.kill('SIGKILL'));
  let heard = '';
  let wake: (() => void) | null = null;
  listener.stdout.on('data', (chunk) => {
    heard += String(chunk);
    wake?.();
  });
  const hears = (what: RegExp) =>
    new Promise<void>((resolve) => {
      wake = () => {
        if (what.test(heard)) resolve();
      };
      wake();
    });
  await hears(/"type":"snapshot"/);

  const dry = await culprit(['trigger', 'node', '--dry-run', ...at]);
  const secrets = JSON.parse(readFileSync(join(servers.data, 'secrets.json'), 'utf8'));
  t.match(dry, { code: 0, stdout: /^curl -sS '.*\/api\/v1\/telemetry\/ingest'/ });
  t.notOk(dry.stdout.includes(secrets.serviceToken), 'secrets are printed only on request');
  t.ok(
    (await culprit(['trigger', 'node', '--dry-run', '--print-secret', ...at])).stdout.includes(
      secrets.serviceToken,
    ),
  );
  for (const [door, status] of [
    ['native', 202],
    ['webhook', 202],
    ['sdk', 200],
  ] as const) {
    const sent = await json(
      culprit(['trigger', 'python', '--door', door, '--set', 'release=v9', '--json', ...at]),
    );
    t.match(sent, { code: 0, answers: [{ door, status }] });
  }
  t.match(await culprit(['trigger', 'cobol', ...at]), { code: 2, stderr: /Unknown fixture "cobol"/ });
  t.match(await culprit(['trigger', 'python', '--set', 'release', ...at]), { code: 2, stderr: /path=value/ });
  t.match(await culprit(['trigger', '--list']), { code: 0, stdout: /rust +a Rust panic/ });
  await hears(/"type":"run".*InvoiceError/);
  await hears(/"occurrences":3/);

  const list = await json(culprit(['runs', 'list', '--json', ...at.filter((_, i) => i !== 2 && i !== 3)]));
  t.match(list.runs, [{ occurrences: 3, releases: ['v9'], doors: ['native', 'webhook', 'sdk'] }]);
  const [{ run_id: id }] = list.runs;
  const core = ['--url', servers.core, '--data', servers.data];

  const spool = join(t.testdirName, 'spool.ndjson');
  t.match(await culprit(['record', spool, '--data', servers.data]), { code: 0, stderr: /3 recorded/ });
  t.notOk(readFileSync(spool, 'utf8').includes(secrets.sdkKey), 'no credential is stored');
  t.match(await culprit(['record', spool, '--data', servers.data]), { code: 2, stderr: /exists/ });
  const recorded = await json(culprit(['replay', spool, '--json', '--until', 'gate1']));
  t.match(recorded.cases, [{ runs: [{ occurrences: 3, state: 'staged_raw' }] }]);

  t.match(await culprit(['runs', 'approve', id, '--digest', 'a'.repeat(12), ...core]), { code: 2 });
  t.match(await culprit(['runs', 'approve', id, ...core]), { code: 0, stdout: /analyzed/ });
  t.match(await culprit(['runs', 'approve', id, ...core]), {
    code: 2,
    stderr: /Approving Gate 2 signs the draft/,
  });
  t.match(await culprit(['runs', 'approve', id, '--digest', 'a'.repeat(12), ...core]), { code: 6 });
  t.match(await culprit(['runs', 'show', id, '--diff', ...core]), {
    code: 0,
    stdout: /The draft is unchanged/,
  });
  const draft = await json(culprit(['runs', 'show', id, '--draft', '--json', ...core]));
  t.match(await culprit(['verify', id, ...core]), { code: 6, stderr: /staged_draft|Verifying/ });

  const edited = await fetch(`${servers.core}/api/v1/runs/${id}/draft`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${secrets.reviewerToken}`,
      'content-type': 'application/json',
      'if-match': `"${draft.digest}"`,
    },
    body: JSON.stringify({
      title: draft.title,
      body: `${draft.body}\n\nSeen by me.`,
      labels: ['culprit', 'mine'],
    }),
  });
  t.equal(edited.status, 200);
  const diff = await culprit(['runs', 'show', id, '--diff', ...core]);
  t.match(diff, { code: 0, stdout: /\+labels: mine[\s\S]*@@[\s\S]*\+Seen by me\./ });

  const whole = await culprit(['runs', 'show', id, ...core]);
  const digest = /digest +([0-9a-f]{64})/.exec(whole.stdout)?.[1] ?? '';
  const show = ['runs', 'show', id, '--preview', ...core];
  const { title, body } = await json(culprit([...show, '--json']));
  t.match(body, /Seen by me\.[\s\S]+signed by/, 'the trailer and the signer');
  t.match(await culprit(show), { code: 0, stdout: `${title}\n\n${body}\n` });
  const signed = await culprit(['runs', 'approve', id, '--digest', digest.slice(0, 14), ...core]);
  t.match(signed, { code: 0, stdout: /published: http.*\/outbox\/1/ });
  const { stdout: published } = await culprit(show);
  t.equal(published, `${title}\n\n${body}\n`, 'published as it was shown');

  const again = await json(
    culprit(['replay', id, '--json', ...core.slice(2), ...['--token', secrets.reviewerToken]], {
      env: { CULPRIT_URL: servers.core },
    }),
  );
  t.match(again, { code: 0, verdicts: { same: 1 } });
  const bundle = join(t.testdirName, 'case.json');
  t.match(await culprit(['record', bundle, '--run', id, ...core]), { code: 0 });
  t.match(await culprit(['replay', bundle, '--offline']), { code: 0, stdout: /1 same · [\d.]+ s\n/ });
  const older = JSON.parse(readFileSync(bundle, 'utf8'));
  older.versions.draft = '0';
  older.draft.digest = 'a'.repeat(64);
  writeFileSync(bundle, JSON.stringify(older));
  t.match(await culprit(['replay', bundle, '--offline']), {
    code: 1,
    stdout: /different +created by another version: draft 0 \(here \d+\)/,
  });

  const proof = await json(culprit(['verify', id, '--json', ...core]));
  t.match(proof, {
    code: 0,
    verified: true,
    signed_digest: digest,
    machine_digest: draft.digest,
    derived_digest: draft.digest,
  });
  const byUrl = await culprit(['verify', `${servers.core}/outbox/1`, ...core]);
  t.match(byUrl, { code: 0, stdout: /ok +edits +one edit by local[\s\S]*matches its evidence/ });
  t.match(await culprit(['verify', `${servers.core}/outbox/7`, ...core]), { code: 3 });
  const two = await culprit(['verify', id, `${servers.core}/outbox/1`, ...core]);
  t.match(two, { code: 0, stdout: new RegExp(`^${id}\n[\\s\\S]*\n\n${id}\n[\\s\\S]*matches`) });
  const missing = await culprit(['verify', 'run_nobody', id, '--json', ...core]);
  t.equal(missing.code, 3, 'the others are verified all the same');
  t.match(
    missing.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { run: 'run_nobody', verified: false, error: { code: 'run_not_found' } },
      { run_id: id, verified: true },
    ],
  );
  const { path, text } = readIssueText(join(servers.data, 'outbox'), 1);
  writeFileSync(path, text.replace('Seen by me.', 'Seen by you.'));
  t.match(await culprit(['verify', id, ...core]), {
    code: 1,
    stdout: /FAIL +body +changed on the code host: line \d+/,
  });
  t.equal((await culprit(['verify', id, id, '--json', ...core])).code, 1, 'any that differs');

  const host = await json(culprit(['replay', spool, '--json', '--fresh-ids', '--until', 'gate2', ...at]));
  t.match(host, {
    code: 0,
    cases: [{ outcomes: { accepted: 3 }, runs: [{ run_id: id, verdict: 'same', occurrences: 6 }] }],
  });
  const { sources } = await json(culprit(['runs', 'show', id, '--json', ...core]));
  t.same(
    sources.map(({ door, trust, occurrences }: Source) => [door, trust, occurrences]),
    [
      ['native', 'trusted', 3],
      ['webhook', 'trusted', 1],
      ['sdk', 'untrusted', 2],
    ],
    'a replay does not make an untrusted crash trusted',
  );
  t.match(await culprit(['runs', 'show', 'run_nobody', ...core]), { code: 3, stderr: /no run/i });

  // Text that would control a terminal: it sets the title, hides lines, and starts a new line.
  const hostile = '\u001b]0;owned\u0007\u009b2J\u202etxt\rrun\nx  fake';
  const [message, platform, release] = [`hostile ${hostile}`, hostile, hostile];
  const crash = { event_id: 'hostile', message, platform, release, environment: hostile, level: 40 };
  const sent = await fetch(`${servers.edge}/api/v1/telemetry/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-token': secrets.serviceToken },
    body: JSON.stringify(crash),
  });
  t.equal(sent.status, 202);
  await hears(/hostile/);
  const { runs } = await json(culprit(['runs', 'list', '--json', '--search', 'hostile', ...core]));
  const shown = ['runs', 'show', runs[0].run_id, ...core];
  await culprit(['runs', 'approve', runs[0].run_id, ...core]);
  t.match(await culprit(shown), { stdout: /kind +·\]0;owned··2j·txt·run·x/ });
  const kept = await culprit(['record', '-', '--run', runs[0].run_id, ...core]);
  t.match(JSON.parse(kept.stdout).event.message, hostile.slice(-20, -5), 'a record loses nothing');
  for (const args of [shown, [...shown, '--json'], [...shown, '--history'], ['runs', 'list', ...core]]) {
    const { code, stdout } = await culprit(args);
    t.equal(code, 0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    t.notMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e]/, args.join(' '));
  }
  t.match(await culprit(['runs', 'list', '--url', servers.core, '--token', 'wrong']), { code: 4 });
  t.match(await culprit(['runs', 'list', ...core], { env: { NO_COLOR: '1' } }), {
    code: 0,
    stdout: /RUN +STATE/,
  });

  const gone = new Promise<number | null>((resolve) => listener.once('close', resolve));
  listener.kill('SIGINT');
  t.equal(await gone, 0, 'Ctrl-C ends it with exit code 0');
  t.match(await culprit(['trigger', 'rust', ...at]), {
    code: 0,
    stderr: new RegExp(`runs. shows its run, and the board at ${servers.core}\\.`),
  });
});
