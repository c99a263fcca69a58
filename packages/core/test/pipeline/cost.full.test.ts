import t from 'tap';
import { randomBetween } from '../../../../bench/faults/lib/random.mjs';
import { crashOf, PLACES } from '../../../../bench/lib/worst-bodies.mjs';
import { ordinaryCrash, stepsOfCharacter, worstCrash } from '../support/worst-cost.js';

// Two minutes on an idle machine.
t.setTimeout(1_800_000);

const LARGE = 900_000;

t.test(
  'property: the worst body of a long search, of other seeds, costs at most 20 times an ordinary one',
  async (t) => {
    const searches = [16_384, 49_152].flatMap((size) =>
      Object.values(PLACES).map((places) => ({ size, places })),
    );
    for (const { size, places } of searches) {
      const seed = randomBetween(0, 2 ** 31);
      const { body, times } = worstCrash({ seed, rounds: 30, size, places });
      const large = stepsOfCharacter(crashOf(body, LARGE)) / stepsOfCharacter(ordinaryCrash(LARGE));
      t.comment(`${size} characters: ${times.toFixed(1)} times, ${large.toFixed(1)} at ${LARGE}`);
      const found = `seed ${seed}, ${size} characters: ${JSON.stringify(body)}`;
      t.ok(times <= 20 && large <= 20, `${times.toFixed(1)} and ${large.toFixed(1)} times; ${found}`);
    }
  },
);
