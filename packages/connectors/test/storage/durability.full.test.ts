import t from 'tap';
import { killRounds } from './support/kill-rounds.js';

t.setTimeout(1_200_000);

t.test('30 kills at other random moments in each run', (t) => killRounds(t, 30));
