// Culprit below /culprit, beside the controllers of a Nest service. In TypeScript, write the decorators with @.
import { git, outbox, outboxPages } from '@culprit/connectors/git';
import { native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import { createFetchHandler, nodeListener } from '@culprit/embed';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

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

class Shop {
  open() {
    return 'the shop';
  }
}
Controller('shop')(Shop);
Get()(Shop.prototype, 'open', Object.getOwnPropertyDescriptor(Shop.prototype, 'open'));
class App {}
Module({ controllers: [Shop] })(App);

const listener = nodeListener(culprit);
const app = await NestFactory.create(App, { logger: false });
app.use(listener);
const server = app.getHttpServer().on('upgrade', listener.upgrade);
await app.listen(port, '127.0.0.1');
console.log(publicUrl);
process.once('SIGTERM', () => {
  culprit.close();
  server.close(() => engine.close());
});
