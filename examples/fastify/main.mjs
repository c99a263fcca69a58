// Culprit below /culprit, beside the routes of a Fastify service.
import { git, outbox, outboxPages } from '@culprit/connectors/git';
import { native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import { createFetchHandler, nodeListener } from '@culprit/embed';
import Fastify from 'fastify';

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
const app = Fastify();
app.get('/shop', () => 'the shop');
const mount = async (scope) => {
  // No parser may read the body first, because signatures cover the bytes as sent.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  for (const path of ['/', '/*']) {
    scope.all(path, (request, reply) => {
      reply.hijack();
      listener(request.raw, reply.raw);
    });
  }
};
app.register(mount, { prefix: '/culprit' });
app.server.on('upgrade', listener.upgrade);
await app.listen({ port, host: '127.0.0.1' });
console.log(publicUrl);
process.once('SIGTERM', () => {
  culprit.close();
  app.close().then(() => engine.close());
});
