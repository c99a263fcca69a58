// Culprit below /culprit, beside the pages and route handlers of a Next.js application.
import { git, outbox, outboxPages } from '@culprit/connectors/git';
import { native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import { createFetchHandler } from '@culprit/embed';

async function open() {
  const publicUrl = `http://127.0.0.1:${process.env.PORT ?? 3000}/culprit`;
  const engine = await createEngine({
    connectors: [
      storage({ url: 'file:.culprit' }),
      git({}),
      outbox({ directory: 'outbox', baseUrl: publicUrl }),
      template({}),
      native({ tokens: [{ project: 'default', name: 'shop', token: process.env.SERVICE_TOKEN }] }),
    ],
    projects: { default: { repository: process.cwd() } },
  });
  const reviewers = [{ name: 'ada', token: process.env.REVIEWER_TOKEN }];
  const documents = outboxPages({ directory: 'outbox' });
  return createFetchHandler({ engine, publicUrl, reviewers, documents });
}

// Opened by the first request, because `next build` imports route handlers too.
export async function culprit(request) {
  globalThis.culprit ??= open();
  return (await globalThis.culprit)(request);
}
