// Figures of two servers that take turns, one without and one with the load, as ratios.

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const round = (value, digits) => Number(value.toFixed(digits));

/**
 * `measure(side)` resolves with one row of figures by name; `sides` are [without, with]. They change places in every pair, because
 * the one that begins meets another machine.
 */
export async function inPairs(sides, pairs, measure) {
  const rows = [];
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    const found = [];
    for (const at of order) found[at] = await measure(sides[at]);
    rows.push(found);
  }
  return rows;
}

/** One line for each figure: medians of both, the median of the ratios of the pairs, and the range of their middle half. */
export function ratiosOf(rows) {
  return Object.keys(rows[0]?.[0] ?? {}).map((figure) => {
    const ratios = rows.map(([without, loaded]) => loaded[figure] / without[figure]).sort((a, b) => a - b);
    const at = (share) => ratios[Math.round((ratios.length - 1) * share)];
    return {
      figure,
      without: round(median(rows.map(([without]) => without[figure])), 3),
      loaded: round(median(rows.map(([, loaded]) => loaded[figure])), 3),
      ratio: round(median(ratios), 3),
      middle_half: [round(at(0.25), 3), round(at(0.75), 3)],
      pairs: ratios.length,
    };
  });
}

export function ratioLines(what, ratios) {
  return ratios.map(
    ({ figure, without, loaded, ratio, middle_half: [low, high], pairs }) =>
      `${what.padEnd(26)} ${figure.padEnd(18)} ${String(without).padStart(10)} → ${String(loaded).padStart(10)}   ratio ${ratio.toFixed(2)} (middle half of ${pairs}: ${low.toFixed(2)} to ${high.toFixed(2)})`,
  );
}
