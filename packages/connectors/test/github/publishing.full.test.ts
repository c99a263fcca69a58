import { markedBody } from '@culprit/core/testing';
import t from 'tap';
import { signal } from '../git/support/context.js';
import { bench, FULL, REPOSITORY, SINCE } from './support/github-bench.js';

t.test('more than ten thousand issues are listed by cursor', async (t) => {
  const { double, publisher } = await bench(t, FULL, { limits: false });
  const old = {
    repository: REPOSITORY,
    title: 'old',
    body: markedBody('Old', 'first'),
    labels: [],
    assignees: [],
  };
  for (let number = 0; number < 10_050; number++) double.addIssue({ ...old, user: 'culprit-bot' });
  double.addIssue({ ...old, body: 'latest', user: 'culprit-bot' });
  for (const stored of double.issues(REPOSITORY).slice(1)) Object.assign(stored, { body: 'no marker' });
  t.match(await publisher.find(REPOSITORY, 'first', SINCE, signal), { number: 1 });
});
