// A custom tracker: checked by the published contract suite, then used for one delivery.
import { storage } from '@culprit/connectors/storage';
import { createEngine, silentLogger } from '@culprit/core';
import { trackerContract } from '@culprit/core/testing';
import { createFetchHandler } from '@culprit/embed';
import { till } from './tracker.mjs';

const headers = { 'x-till-token': 'till-secret' };
const body = JSON.stringify({ fault: 'TypeError: no price', till: 'counter-3' });
const path = '/webhook/till';
const bytes = (text) => new TextEncoder().encode(text);
const valid = {
  method: 'POST',
  path,
  params: {},
  query: {},
  headers,
  body: bytes(body),
  receivedAt: Date.now(),
};
const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
for (const { name, run } of trackerContract) {
  await run(async () => ({
    tracker: (await till({ token: 'till-secret' }).setup(context)).tracker,
    closed: (await till({}).setup(context)).tracker,
    valid,
    project: 'default',
    secret: 'till-secret',
    forged: [{ name: 'another token', delivery: { ...valid, headers: { 'x-till-token': 'guessed' } } }],
    unreadable: [{ name: 'no fault', delivery: { ...valid, body: bytes('{}') } }],
    coversBody: false,
  }));
  console.log(`ok ${name}`);
}

const connectors = [storage({ url: 'memory:' }), till({ token: 'till-secret' })];
const engine = await createEngine({ connectors });
const publicUrl = 'http://127.0.0.1:8000';
const culprit = createFetchHandler({ engine, publicUrl, reviewers: [] });
const answer = await culprit(new Request(`${publicUrl}${path}`, { method: 'POST', headers, body }));
console.log(answer.status, (await engine.runs({ limit: 1 })).runs[0].title);
culprit.close();
await engine.close();
