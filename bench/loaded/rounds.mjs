// Figures of a server without and with the load, in turns of the same process, as ratios.

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
const DRAWS = 2_000;
const round = (value, digits) => Number(value.toFixed(digits));
/** A round: what is measured without the load twice tells how far two equal turns differ. */
const TURNS = ['without', 'loaded', 'again'];

/**
 * `measure(loaded)` resolves with one row of figures by name. The turns of a round change places, because what comes first meets
 * another machine.
 */
export async function inRounds(rounds, measure) {
  const rows = [];
  for (let number = 0; number < rounds; number++) {
    const row = {};
    for (let at = 0; at < TURNS.length; at++) {
      const turn = TURNS[(at + number) % TURNS.length];
      row[turn] = await measure(turn === 'loaded');
    }
    rows.push(row);
  }
  return rows;
}

/**
 * For each figure: medians without and with, their ratio, and that of the two equal turns, each with the interval in which 95 % of
 * the ratios lie if the rounds are drawn again and again (bootstrap). Medians, because another program only adds to a turn.
 */
export function ratiosOf(rows) {
  return Object.keys(rows[0]?.without ?? {}).map((figure) => {
    const all = rows.map((row) => TURNS.map((turn) => row[turn][figure]));
    const without = ([first, , again]) => [first, again];
    return {
      figure,
      without: round(median(all.flatMap(without)), 3),
      loaded: round(median(all.map(([, loaded]) => loaded)), 3),
      ...ratioOf(all, without, ([, loaded]) => [loaded]),
      same: ratioOf(
        all,
        ([first]) => [first],
        ([, , again]) => [again],
      ),
      rounds: rows.length,
    };
  });
}

function ratioOf(rows, below, above) {
  const of = (chosen) => median(chosen.flatMap(above)) / median(chosen.flatMap(below));
  const drawn = Array.from({ length: DRAWS }, () =>
    of(rows.map(() => rows[Math.floor(Math.random() * rows.length)])),
  ).sort((a, b) => a - b);
  const at = (share) => round(drawn[Math.floor(DRAWS * share)], 3);
  return { ratio: round(of(rows), 3), interval: [at(0.025), at(0.975)] };
}

export function ratioLines(what, ratios) {
  const text = ({ ratio, interval: [low, high] }) =>
    `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  return ratios.map(
    ({ figure, without, loaded, same, rounds, ...own }) =>
      `${what.padEnd(26)} ${figure.padEnd(18)} ${String(without).padStart(10)} → ${String(loaded).padStart(10)}   ratio ${text(own)}, equal turns ${text(same)}, ${rounds} rounds`,
  );
}
