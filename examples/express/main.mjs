// Culprit below /culprit, beside the routes of an Express service.
import { git, outbox, outboxPages } from '@culprit/connectors/git';
import { native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import { createFetchHandler, nodeListener } from '@culprit/embed';
import express from 'express';

const port = Number(process.env.PORT ?? 8000);
const publicUrl = `http://127.0.0.1:${port}/culprit`;
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
const culprit = createFetchHandler({ engine, publicUrl, reviewers, documents });

const listener = nodeListener(culprit);
const app = express();
app.use(listener); // Before body parsers, because signatures cover the bytes as sent.
app.use(express.json());
app.get('/shop', (_request, response) => response.send('the shop'));
const server = app.listen(port, '127.0.0.1', () => console.log(publicUrl));
server.on('upgrade', listener.upgrade);
process.once('SIGTERM', () => {
  culprit.close();
  server.close(() => engine.close());
});
