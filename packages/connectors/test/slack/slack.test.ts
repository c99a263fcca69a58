import { createEngine, type Engine } from '@culprit/core';
import { type CulpritError, silentLogger } from '@culprit/core/connector';
import { makeDraft } from '@culprit/core/internal/testing/make-run';
import { memoryStorage, memoryValues } from '@culprit/core/internal/testing/memory-storage';
import {
  failingNotifierContract,
  makeRun,
  memoryPublisher,
  memoryStorageConnector,
  notifierContract,
} from '@culprit/core/testing';
import { BOT_TOKEN, CHANNEL, SIGNING_SECRET, type SlackDouble, slackDouble } from '@culprit/doubles/slack';
import t from 'tap';
import { slackClient } from '../../src/slack/client.js';
import { slack, slackInteractions } from '../../src/slack/index.js';
import { slackNotifier } from '../../src/slack/notifier.js';
import { verifiedSignature } from '../../src/slack/verify.js';

const BOARD = 'http://127.0.0.1:8000';

async function notifierOf(double: SlackDouble, values = memoryValues(), token = BOT_TOKEN) {
  const connector = slack({
    botToken: token,
    channel: CHANNEL,
    apiUrl: double.apiUrl,
    boardUrl: BOARD,
    buttons: true,
  });
  const parts = await connector.setup({
    fetch: globalThis.fetch,
    logger: silentLogger,
    signal: new AbortController().signal,
    values,
  });
  if (parts.notifier === undefined) throw new Error('no notifier');
  return { notifier: parts.notifier, check: parts.check, values };
}

const soon = () => AbortSignal.timeout(300_000);

t.test('fulfils the notifier contract', async (t) => {
  for (const law of notifierContract) {
    await t.test(law.name, () =>
      law.run(async () => {
        const double = await slackDouble();
        const { notifier } = await notifierOf(double);
        return { notifier, sent: double.sent, close: double.close };
      }),
    );
  }
  for (const law of failingNotifierContract) {
    await t.test(law.name, () =>
      law.run(async () => {
        const double = await slackDouble();
        const { notifier } = await notifierOf(double);
        return { notifier, sent: double.sent, failNext: double.failNext, close: double.close };
      }),
    );
  }
});

t.test('one message per run, posted when it waits and updated in place, also after a restart', async (t) => {
  const double = await slackDouble();
  t.teardown(double.close);
  const kept = memoryValues();
  const { notifier } = await notifierOf(double, kept);
  await notifier.notify(makeRun('staged_raw'), soon());
  await notifier.notify(makeRun('analyzing', { version: 2 }), soon());
  const restarted = await notifierOf(double, kept);
  await restarted.notifier.notify(makeRun('staged_draft', { version: 3 }), soon());
  const text = JSON.stringify(double.messages[0]);
  t.match(text, makeDraft().digest, 'the digest is shown');
  t.match(text, /Suspect.*01234567.*\(very likely, \d+ %\)/, 'the suspect is shown, its verdict in words');
  t.match(text, /culprit\.approve/);
  await restarted.notifier.notify(makeRun('published', { version: 5 }), soon());
  t.equal(double.messages.length, 1);
  t.match(double.messages[0], { edits: 3, text: /^Published/ });
  t.match(JSON.stringify(double.messages[0]), '<https://github.com/acme/shop/issues/7|issue 7>');
  t.notMatch(JSON.stringify(double.messages[0]), /culprit\.approve/, 'no button unless a gate waits');

  await notifier.notify(makeRun('rejected', { run_id: 'run_00000000000000000000000002' }), soon());
  t.equal(double.messages.length, 1, 'a run that never waited is not announced');

  double.remove(double.messages[0]?.ts ?? '');
  await notifier.notify(makeRun('staged_draft', { version: 6 }), soon());
  t.equal(double.messages.length, 1, 'a deleted message is posted again');
});

t.test('a post with an unknown result is searched for before it is repeated', async (t) => {
  const double = await slackDouble();
  t.teardown(double.close);
  const { notifier } = await notifierOf(double);
  double.failNext('posted_but_silent');
  await t.rejects(notifier.notify(makeRun(), soon()), { code: 'notifier_failed', retryable: true });
  await notifier.notify(makeRun(), soon());
  t.equal(double.messages.length, 1);
  t.same(double.calls, ['chat.postMessage', 'conversations.history', 'chat.update']);

  const other = makeRun('staged_raw', { run_id: 'run_00000000000000000000000003' });
  double.withoutHistory();
  double.failNext('posted_but_silent');
  await t.rejects(notifier.notify(other, soon()));
  await notifier.notify(other, soon());
  t.equal(double.messages.length, 3, 'without permission to read the channel: posted at least once');
  double.failNext('refused');
  await t.rejects(notifier.notify({ ...other, run_id: 'run_00000000000000000000000004' }, soon()), {
    message: /SLACK_CHANNEL/,
    retryable: false,
  });
});

t.test('in a busy channel the message is found, in pages as large as Slack allows', async (t) => {
  const busy = async (double: SlackDouble, notifier: Awaited<ReturnType<typeof notifierOf>>['notifier']) => {
    double.chatter(300);
    double.failNext('posted_but_silent');
    await t.rejects(notifier.notify(makeRun(), soon()));
    double.chatter(450);
  };
  const double = await slackDouble();
  t.teardown(double.close);
  const { notifier } = await notifierOf(double);
  await busy(double, notifier);
  await notifier.notify(makeRun(), soon());
  t.equal(double.messages.length, 1, 'no second message');
  t.same(double.calls.slice(1), [...Array(3).fill('conversations.history'), 'chat.update']);

  const limited = await slackDouble('distributed');
  t.teardown(limited.close);
  let ahead = 0;
  const client = slackClient({ botToken: BOT_TOKEN, apiUrl: limited.apiUrl }, fetch);
  const slow = slackNotifier({
    ...{ client, values: memoryValues(), channel: CHANNEL, now: () => Date.now() + ahead },
    message: { boardUrl: null, buttons: true },
  });
  limited.failNext('posted_but_silent');
  await t.rejects(slow.notify(makeRun(), soon()));
  limited.chatter(40);
  const minute = async () => {
    ahead += 60_000;
    limited.advance(60_000);
    return slow.notify(makeRun(), soon()).then(
      () => 'found',
      (error: CulpritError) => (error.retryAfterMs === undefined ? error : 'later'),
    );
  };
  t.same(
    [await minute(), await minute(), await minute()],
    ['later', 'later', 'found'],
    '15 messages a minute; a retry continues where the search stopped',
  );
  t.equal(limited.messages.length, 1);
});

t.test('a failed search is repeated; only an unreadable channel counts as “not found”', async (t) => {
  const double = await slackDouble();
  t.teardown(double.close);
  const { notifier } = await notifierOf(double);
  double.failNext('posted_but_silent');
  await t.rejects(notifier.notify(makeRun(), soon()));
  double.failNext('faulty');
  await t.rejects(notifier.notify(makeRun(), soon()), { code: 'notifier_failed', retryable: true });
  await notifier.notify(makeRun(), soon());
  t.equal(double.messages.length, 1, 'no second message');
});

t.test('two processes that notify about one run at the same time post one message', async (t) => {
  const double = await slackDouble();
  t.teardown(double.close);
  const kept = memoryValues();
  const both = [await notifierOf(double, kept), await notifierOf(double, kept)];
  const results = await Promise.allSettled(both.map(({ notifier }) => notifier.notify(makeRun(), soon())));
  t.ok(results.some(({ status }) => status === 'fulfilled'));
  for (const one of results) {
    if (one.status === 'rejected') t.match(one.reason, { code: 'notifier_failed', retryable: true });
  }
  t.equal(double.messages.length, 1);
  for (const { notifier } of both) await notifier.notify(makeRun('analyzing', { version: 2 }), soon());
  t.equal(double.messages.length, 1);
});

t.test('v0 signatures: Slack’s own example, the tolerance in both directions, an empty secret', async (t) => {
  const headers = {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  };
  const text =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const at = 1_531_420_618_000;
  const request = { headers, body: Buffer.from(text), receivedAt: at };
  const verdict = (secret: string, changed: Partial<typeof request>) => {
    try {
      return verifiedSignature(secret, { ...request, ...changed }) === headers['x-slack-signature'];
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  t.equal(verdict(SIGNING_SECRET, {}), true);
  t.equal(verdict(SIGNING_SECRET, { receivedAt: at + 300_000 }), true);
  t.equal(verdict(SIGNING_SECRET, { receivedAt: at - 300_000 }), true);
  t.equal(verdict(SIGNING_SECRET, { receivedAt: at + 301_000 }), 'unauthenticated', 'late');
  t.equal(verdict(SIGNING_SECRET, { receivedAt: at - 301_000 }), 'unauthenticated', 'from the future');
  t.equal(verdict('', {}), 'unauthenticated');
  t.equal(verdict('another', {}), 'unauthenticated');
  t.equal(verdict(SIGNING_SECRET, { body: Buffer.from(`${text}&a=b`) }), 'unauthenticated');
  for (const header of [
    '',
    'v0=',
    'v0=zz',
    headers['x-slack-signature'].toUpperCase(),
    `${headers['x-slack-signature']}0`,
  ]) {
    const signed = { ...headers, 'x-slack-signature': header };
    t.equal(verdict(SIGNING_SECRET, { headers: signed }), 'unauthenticated', header);
  }
  const unsigned = { ...headers, 'x-slack-request-timestamp': '1e9' };
  t.equal(verdict(SIGNING_SECRET, { headers: unsigned }), 'unauthenticated');
});

interface Bench {
  readonly double: SlackDouble;
  readonly engine: Engine;
  readonly runId: string;
  send(interaction: { headers: Readonly<Record<string, string>>; body: string }): Promise<string>;
}

async function bench(
  t: Tap,
  reviewers: Record<string, string> = { U1ADA: 'ada', U2BOB: 'bob' },
): Promise<Bench> {
  const double = await slackDouble();
  const access = { botToken: BOT_TOKEN, apiUrl: double.apiUrl };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(memoryStorage()),
      { id: 'publisher', setup: () => ({ publisher: memoryPublisher() }) },
      slack({ ...access, channel: CHANNEL, boardUrl: BOARD, buttons: true }),
    ],
    projects: { default: { publishRepository: 'acme/shop' } },
    policy: { notifyPausesMs: [5, 5, 5, 5, 5, 5, 5, 5] },
  });
  const interactions = slackInteractions({ ...access, signingSecret: SIGNING_SECRET, reviewers });
  t.teardown(async () => {
    interactions.close();
    await engine.close();
    await double.close();
  });
  const { run_id } = await engine.ingest({ crash: { event_id: 'crash-1', message: 'boom' } });
  if (run_id === null) throw new Error('no run');
  await double.until(() => /Waiting at Gate 1/.test(double.messages.at(-1)?.text ?? ''));
  return {
    double,
    engine,
    runId: run_id,
    async send({ headers, body }) {
      const request = { headers, body: Buffer.from(body), receivedAt: Date.now() };
      const answer = await interactions.receive(engine, request);
      await answer.work;
      return answer.body;
    },
  };
}
type Tap = Pick<typeof t, 'teardown'>;

t.test('both gates from Slack, with the message updated', async (t) => {
  const { double, engine, runId, send } = await bench(t);
  const old = double.press({ user: 'U2BOB', action: 'culprit.approve' });
  t.equal(
    await send(double.press({ user: 'U1ADA', action: 'culprit.approve' })),
    '',
    'acknowledged with an empty body',
  );
  t.match(double.whispers.at(-1), {
    user: 'U1ADA',
    text: 'You approved Gate 1. The draft waits for Gate 2.',
  });
  await double.until(() => /Waiting at Gate 2/.test(double.messages[0]?.text ?? ''));
  await send(old);
  t.match(double.whispers.at(-1), { user: 'U2BOB', text: /^\*ada\* approved Gate 1 before you/ });

  const shown = double.press({ user: 'U1ADA', action: 'culprit.approve' });
  const { draft } = await engine.run(runId);
  if (draft === null) throw new Error('no draft');
  const edited = await engine.editDraft(
    runId,
    { name: 'eve', via: 'board' },
    { ...draft, title: 'Another title', digest: draft.digest },
  );
  await send(shown);
  t.match(double.whispers.at(-1), {
    text: new RegExp(`outdated.*${draft.digest.slice(0, 12)}.*${edited.digest.slice(0, 12)}`),
  });
  t.equal((await engine.run(runId)).state, 'staged_draft', 'the run was not approved');
  await double.until(() => JSON.stringify(double.messages[0]).includes(edited.digest));
  await send(double.press({ user: 'U2BOB', action: 'culprit.approve' }));
  t.match(double.whispers.at(-1), { user: 'U2BOB', text: /^You approved Gate 2\. Published: <http/ });
  await double.until(() => /^Published/.test(double.messages[0]?.text ?? ''));
  t.equal(double.messages.length, 1);
  const decisions = (await engine.history(runId)).filter(({ kind }) => kind === 'decision');
  t.same(
    decisions.map(({ name, by, via, digest }) => [name, by, via, digest]),
    [
      ['gate1.approve', 'ada', 'chat', null],
      ['draft.edit', 'eve', 'board', edited.digest],
      ['gate2.approve', 'bob', 'chat', edited.digest],
    ],
  );
});

t.test('Reject asks for a reason, and is bound to the digest like Approve', async (t) => {
  const { double, engine, runId, send } = await bench(t);
  await send(double.press({ user: 'U1ADA', action: 'culprit.approve' }));
  await double.until(() => /Waiting at Gate 2/.test(double.messages[0]?.text ?? ''));
  await send(double.press({ user: 'U1ADA', action: 'culprit.reject' }));
  const [form] = double.forms;
  if (form === undefined) throw new Error('no form');
  t.match(JSON.parse(await send(double.submit(form, '   '))), {
    response_action: 'errors',
    errors: { reason: /Enter a reason/ },
  });
  t.equal(await send(double.submit(form, 'The draft names the wrong file', 'staged_raw')), '');
  t.match(double.whispers.at(-1), { user: 'U1ADA', text: 'Sent back to Gate 1.' });
  t.match(await engine.run(runId), { state: 'staged_raw', cycle: 2 });
  const last = (await engine.history(runId)).at(-1);
  t.match(last, {
    name: 'gate2.return',
    by: 'ada',
    via: 'chat',
    detail: { reason: 'The draft names the wrong file' },
  });
  await send(double.submit(form, 'again', 'rejected'));
  t.match(double.whispers.at(-1), { text: /outdated.*Nothing was decided/ });

  await double.until(() => /Waiting at Gate 1/.test(double.messages[0]?.text ?? ''));
  const first = double.press({ user: 'U2BOB', action: 'culprit.reject' });
  await send(first);
  t.match(double.forms[1], { user: 'U2BOB', view: { title: { text: 'Reject at Gate 1' } } });
  await send(double.submit(double.forms[1] ?? form, 'noise'));
  t.match(await engine.run(runId), { state: 'rejected' });
  await send(double.press({ user: 'U1ADA', action: 'culprit.approve', value: gateOneValue(runId, 2) }));
  t.match(double.whispers.at(-1), { text: /^Nothing was decided.*rejected/ });
});

t.test('a reply arrives although the response URL has expired, is used up or is missing', async (t) => {
  const { double, runId, send } = await bench(t);
  const rejectForm = async () => {
    await send(double.press({ user: 'U1ADA', action: 'culprit.reject' }));
    const form = double.forms.at(-1);
    if (form === undefined) throw new Error('no form');
    return form;
  };
  const open = await rejectForm();
  double.advance(31 * 60_000);
  await send(double.submit(open, 'noise'));
  const whisper = { user: 'U1ADA', text: 'Rejected at Gate 1.', through: 'chat.postEphemeral' };
  t.match(double.whispers, [whisper], 'a form that stayed open for half an hour');

  const press = double.press({ user: 'U1ADA', action: 'culprit.approve', value: gateOneValue(runId, 1) });
  const payload = JSON.parse(new URLSearchParams(press.body).get('payload') ?? '');
  const spent = { method: 'POST', body: JSON.stringify({ response_type: 'ephemeral', text: 'x' }) };
  for (let use = 0; use < 5; use++) await fetch(payload.response_url, spent);
  await send(press);
  t.match(double.whispers.at(-1), { text: /^Nothing was decided/, through: 'chat.postEphemeral' });

  double.leave('U1ADA');
  const before = double.whispers.length;
  double.down(true);
  await send(double.press({ user: 'U1ADA', action: 'culprit.approve', value: gateOneValue(runId, 1) }));
  double.down(false);
  t.equal(double.whispers.length, before, 'if Slack takes no reply at all, the work still ends');
});

t.test('only reviewers can decide; forged, late and repeated requests are rejected', async (t) => {
  const { double, engine, runId, send } = await bench(t);
  await send(double.press({ user: 'U9EVE', action: 'culprit.approve' }));
  t.match(double.whispers.at(-1), {
    user: 'U9EVE',
    text: /not a reviewer.*`U9EVE:your name`.*SLACK_REVIEWERS/,
  });
  await send(double.press({ user: 'U9EVE', action: 'culprit.reject' }));
  t.equal(double.forms.length, 0);
  const now = Math.floor(Date.now() / 1_000);
  const good = double.press({ user: 'U1ADA', action: 'culprit.approve' });
  const refusedOnes = {
    forged: double.press({ user: 'U1ADA', action: 'culprit.approve', secret: 'wrong' }),
    late: double.press({ user: 'U1ADA', action: 'culprit.approve', at: now - 302 }),
    early: double.press({ user: 'U1ADA', action: 'culprit.approve', at: now + 302 }),
    altered: { ...good, body: good.body.replace('U1ADA', 'U2BOB') },
    unsigned: { ...good, headers: {} },
  };
  for (const [name, request] of Object.entries(refusedOnes)) {
    await t.rejects(send(request), { code: 'unauthenticated', status: 401 }, name);
  }
  t.equal((await engine.run(runId)).state, 'staged_raw');
  await send(good);
  await t.rejects(send(good), { code: 'unauthenticated', message: /already received/ }, 'replayed');
  const restarted = slackInteractions({
    botToken: BOT_TOKEN,
    apiUrl: double.apiUrl,
    signingSecret: SIGNING_SECRET,
    reviewers: {},
  });
  await t.rejects(
    restarted.receive(engine, { ...good, body: Buffer.from(good.body), receivedAt: Date.now() }),
    { message: /already received/ },
    'also after a restart',
  );
  for (const value of [
    '',
    '{}',
    'null',
    '{"v":2}',
    `{"v":1,"run":"../x","gate":1,"cycle":1,"digest":null}`,
  ]) {
    await send(double.press({ user: 'U1ADA', action: 'culprit.approve', value }));
    t.match(double.whispers.at(-1), { text: /another version/ }, value);
  }
  await send(
    double.press({ user: 'U1ADA', action: 'culprit.approve', value: gateOneValue('run_unknown', 1) }),
  );
  t.match(double.whispers.at(-1), { text: /^Nothing was decided/ });
});

t.test('invalid payloads', async (t) => {
  const { double, send } = await bench(t);
  const { createHmac } = await import('node:crypto');
  const signed = (body: string) => {
    const at = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
    return { body, headers: { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${signature}` } };
  };
  for (const body of [
    '',
    '{}',
    'payload=',
    'payload=%7B',
    'payload=null',
    'payload=%7B%22type%22%3A%22block_actions%22%7D',
    '\ufffd%ff',
  ]) {
    await t.rejects(send(signed(body)), { code: 'malformed', status: 400 }, body);
  }
  t.equal(await send(signed(`payload=${encodeURIComponent('{"type":"shortcut","user":{"id":"U1"}}')}`)), '');
  t.equal(double.whispers.length, 0);
  await t.rejects(async () => slackInteractions({ botToken: '', signingSecret: '', reviewers: {} }), {
    code: 'configuration',
  });
});

t.test('an unreachable Slack blocks no gate, and gets its notifications when it is back', async (t) => {
  const { double, engine, runId } = await bench(t);
  double.down(true);
  const reviewer = { name: 'ada', via: 'board' } as const;
  await engine.approveGateOne(runId, reviewer);
  t.match(await engine.approveGateTwo(runId, reviewer), { status: 'published' });
  double.down(false);
  await engine.retryNotification('slack', runId);
  await double.until(() => /^Published/.test(double.messages[0]?.text ?? ''));
  t.equal(double.messages.length, 1);
});

t.test('the check reports problems and their fixes', async (t) => {
  const double = await slackDouble();
  t.teardown(double.close);
  const good = await notifierOf(double);
  t.match(await good.check?.(soon()), [{ name: 'slack', ok: true, detail: /Acme/, optional: true }]);
  const bad = await notifierOf(double, memoryValues(), 'xoxb-wrong');
  t.match(await bad.check?.(soon()), [{ ok: false, detail: /invalid_auth: check SLACK_BOT_TOKEN/ }]);
});

function gateOneValue(run: string, cycle: number): string {
  return JSON.stringify({ v: 1, run, gate: 1, cycle, digest: null });
}
