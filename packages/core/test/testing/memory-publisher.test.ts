import t from 'tap';
import {
  failingPublisherContract,
  manualClock,
  memoryPublisher,
  publisherContract,
} from '../../src/testing/index.js';
import { markedBody } from '../../src/testing/publisher-contract.js';

const repository = 'acme/shop';
const signal = new AbortController().signal;
const issue = {
  repository,
  title: 'Crash',
  body: markedBody('It crashed.', 'marker-1'),
  labels: ['culprit', 'team'],
  assignees: [],
  marker: 'marker-1',
};

for (const law of publisherContract) {
  t.test(law.name, () => law.run(async () => ({ publisher: memoryPublisher(), repository })));
}
for (const law of failingPublisherContract) {
  t.test(law.name, () =>
    law.run(async () => {
      const publisher = memoryPublisher();
      return { publisher, repository, failNext: publisher.next };
    }),
  );
}

t.test('a listing lags for the configured time', async (t) => {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock, listingLagMs: 60_000 });
  t.equal(publisher.listsAtOnce, false);
  await publisher.create(issue, signal);
  const since = new Date(clock.now()).toISOString();
  t.equal(await publisher.find(repository, 'marker-1', since, signal), null);
  await clock.advance(60_000);
  t.match(await publisher.find(repository, 'marker-1', since, signal), { number: 1 });
  const later = new Date(clock.now()).toISOString();
  t.equal(
    await publisher.find(repository, 'marker-1', later, signal),
    null,
    'created before the requested time',
  );
  publisher.lag(0);
  t.equal(publisher.listsAtOnce, true);
  t.same(publisher.calls, { find: 3, create: 1, read: 0 });
});

t.test('issues can be edited, closed and deleted, and reads can fail', async (t) => {
  const publisher = memoryPublisher({ alter: (asked) => ({ ...asked, labels: ['culprit'] }) });
  t.match(await publisher.create(issue, signal), { number: 1, labels: ['culprit'] });
  publisher.closeIssue(1);
  t.match(await publisher.read(repository, 1, signal), { state: 'closed' });
  publisher.failNextLook();
  await t.rejects(publisher.read(repository, 1, signal), { code: 'code_host_unavailable' });
  publisher.removeIssue(1);
  t.equal(await publisher.read(repository, 1, signal), null);
});
