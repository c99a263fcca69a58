/**
 * Conditional logit with "none of these" as one more choice: maximises Σ ln Σ_hits p − ridge · Σ (w · spread)², by BFGS.
 * Groups without a hit teach what "none of these" weighs. @returns {{ weights: number[], none: number }}
 */
export function fitLogit(groups, ridge) {
  const size = groups.find(({ rows }) => rows.length > 0)?.rows[0].length ?? 0;
  const spread = spreadOf(groups, size);
  const loss = (w) => {
    const gradient = new Array(size + 1).fill(0);
    let total = 0;
    for (const { rows, hits } of groups) {
      const scores = rows.map((row) => row.reduce((sum, x, i) => sum + x * w[i], 0));
      scores.push(w[size]);
      const chosen = [...hits, !hits.includes(true)];
      const best = Math.max(...scores);
      const odds = scores.map((score) => Math.exp(score - best));
      const all = odds.reduce((sum, x) => sum + x, 0);
      const hit = odds.reduce((sum, x, i) => sum + (chosen[i] ? x : 0), 0) + 1e-300;
      total -= Math.log(hit / all);
      odds.forEach((odd, i) => {
        const push = odd / all - (chosen[i] ? odd / hit : 0);
        if (i === rows.length) gradient[size] += push;
        else for (let j = 0; j < size; j++) gradient[j] += push * rows[i][j];
      });
    }
    for (let j = 0; j < size; j++) {
      total += ridge * (w[j] * spread[j]) ** 2;
      gradient[j] += 2 * ridge * w[j] * spread[j] ** 2;
    }
    return { total, gradient };
  };
  const w = minimise(loss, new Array(size + 1).fill(0));
  return { weights: w.slice(0, size), none: w[size] };
}

/** Standard deviation of each feature over all candidates. */
function spreadOf(groups, size) {
  const sums = Array.from({ length: size }, () => [0, 0]);
  let n = 0;
  for (const { rows } of groups) {
    n += rows.length;
    for (const row of rows) {
      for (const [j, x] of row.entries()) {
        sums[j][0] += x;
        sums[j][1] += x * x;
      }
    }
  }
  return sums.map(([sum, squares]) => Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2)));
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** BFGS with a backtracking line search. */
function minimise(loss, start) {
  const n = start.length;
  let at = start;
  let { total, gradient } = loss(at);
  let inverse = at.map((_, i) => at.map((__, j) => (i === j ? 0.01 : 0)));
  for (let round = 0; round < 300; round++) {
    const step = inverse.map((row) => -dot(row, gradient));
    const slope = dot(step, gradient);
    if (slope > -1e-9) break;
    let length = 1;
    let next;
    for (; length > 1e-8; length /= 2) {
      const to = at.map((x, i) => x + length * step[i]);
      next = { to, ...loss(to) };
      if (next.total <= total + 1e-4 * length * slope) break;
    }
    if (!next || length <= 1e-8) break;
    const s = step.map((x) => x * length);
    const y = next.gradient.map((x, i) => x - gradient[i]);
    const sy = dot(s, y);
    if (sy > 1e-10) {
      const rho = 1 / sy;
      const hy = inverse.map((row) => dot(row, y));
      const yhy = dot(y, hy);
      inverse = inverse.map((row, i) =>
        row.map((x, j) => x - rho * (hy[i] * s[j] + s[i] * hy[j]) + rho * (rho * yhy + 1) * s[i] * s[j]),
      );
    }
    const gain = total - next.total;
    ({ total, gradient } = next);
    at = next.to;
    if (gain < 1e-7 && n > 0) break;
  }
  return at;
}
