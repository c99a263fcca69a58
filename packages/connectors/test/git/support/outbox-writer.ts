/** Creates issues in sequence and prints their numbers: `outbox-writer <directory> <count>`. */
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { outbox } from '../../../src/git/index.js';
import { context, publisherOf, signal } from './context.js';

const [directory = '', count = '0'] = process.argv.slice(2);
const publisher = publisherOf(await outbox({ directory, baseUrl: 'http://127.0.0.1:8000' }).setup(context));
for (let made = 0; made < Number(count); made += 1) {
  const marker = `marker-${process.pid}-${made}.`;
  const issue = { repository: 'shop', title: `Crash ${made}`, labels: [], assignees: [], marker };
  const { number } = await publisher.create(
    { ...issue, body: markedBody('x'.repeat(50_000), marker) },
    signal,
  );
  process.stdout.write(`${number}\n`);
}
