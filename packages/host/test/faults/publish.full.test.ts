import t from 'tap';
import { redisVersion } from '../../../connectors/test/support/redis-server.js';
import { faultRun } from '../support/fault-run.js';

/** The most difficult rows. `npm run faults -- publish` runs all. */
const ROWS =
  '^(503|403 with Retry-After|connection reset after|listing lag (8|49) min, response lost|repository archived|App token .*|issue transferred.*|.*10,050 newer issues.*)$';
const ROUNDS = 50;
/** Each of the ten points once. */
const FLEET_ROUNDS = 10;

// Both parts mostly wait, so they run in parallel.
t.setTimeout(1_300_000);

t.test('failing replies of GitHub, core killed around each: exactly one issue', async (t) => {
  const [table, kills] = await Promise.all([
    faultRun(t, 'publish', [
      '--rows',
      ROWS,
      '--kills',
      'before,during,after',
      '--parallel',
      '6',
      '--rounds',
      '0',
    ]),
    faultRun(t, 'publish', ['--rows', '', '--rounds', String(ROUNDS)]),
  ]);
  t.match(table, { scenarios: 27, failed: 0, doubled: 0, lost: 0 });
  const { random } = kills;
  t.match(random, { rounds: ROUNDS, kills: ROUNDS, stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 });
  t.comment(`table ${table.seconds} s; kills: ${JSON.stringify(random.where)}, ${kills.seconds} s`);
});

const skip = redisVersion() === null ? 'needs redis-server' : false;
t.test('two cores on one Redis, one killed or stopped in a publication', { skip }, async (t) => {
  const found = await faultRun(t, 'publish', [
    ...['--fleet', '--rows', '', '--rounds', String(FLEET_ROUNDS), '--lanes', '5'],
  ]);
  const none = { stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 };
  t.match(found.random, { rounds: FLEET_ROUNDS, kills: FLEET_ROUNDS, issues: FLEET_ROUNDS, ...none });
  t.comment(`${JSON.stringify(found.random.where)}, ${found.seconds} s`);
});
