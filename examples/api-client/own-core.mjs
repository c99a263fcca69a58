// Core in this process, with one crash.
import { outbox } from '@culprit/connectors/git';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import { createFetchHandler } from '@culprit/embed';

export async function ownCore() {
  const url = 'http://127.0.0.1:8000';
  const token = 'a-token-for-this-process-only';
  const engine = await createEngine({
    connectors: [storage({ url: 'memory:' }), outbox({ directory: 'outbox', baseUrl: url }), template({})],
    projects: { default: { publishRepository: 'acme/shop' } },
  });
  const core = createFetchHandler({ engine, publicUrl: url, reviewers: [{ name: 'ada', token }] });
  await engine.ingest({ crash: { level: 'fatal', message: 'The cart has no price' } });
  const close = async () => {
    core.close();
    await engine.close();
  };
  return { url, token, fetch: (input, init) => core(new Request(input, init)), close };
}
