/**
 * Rankings of other tools for the same frames and ranges: each a list of SHAs, most likely first.
 * `one`: { positions, files, crashedAt, native } of the ranking's input.
 */
export const BASELINES = {
  a: topFrameFirst,
  b: newestOwner,
  c: newestInFiles,
  s1: nearAndRecent,
};
export const BASELINE_NAMES = {
  a: '(a) blame of the top frame, then the next',
  b: '(b) newest owner of a line of the stack',
  c: '(c) newest commit of a file of the stack',
  s1: 'S1 near and recent, published weights',
};

function owners({ positions }) {
  const found = new Map();
  for (const { views, line } of positions) {
    const range = views[0].ranges.find(({ start, end }) => start <= line && line <= end);
    if (range && !found.has(range.sha)) found.set(range.sha, range.committed_at);
  }
  return [...found].map(([sha, committed_at]) => ({ sha, committed_at }));
}

function topFrameFirst(input) {
  return owners(input).map(({ sha }) => sha);
}

/** Commits of one series may have equal timestamps; the file's history gives their order. */
function newestOwner(input) {
  const place = historyPlaces(input);
  return newest(owners(input), place);
}

function newestInFiles(input) {
  const all = new Map();
  for (const { ranges, history } of input.files) {
    for (const { sha, committed_at } of [...ranges, ...history]) all.set(sha, committed_at);
  }
  const dated = [...all].map(([sha, committed_at]) => ({ sha, committed_at }));
  const early = dated.filter(({ committed_at }) => committed_at <= input.crashedAt);
  return newest(early, historyPlaces(input));
}

function newest(commits, place) {
  const at = ({ sha }) => place.get(sha) ?? 99;
  return commits
    .sort((x, y) => Date.parse(y.committed_at) - Date.parse(x.committed_at) || at(x) - at(y))
    .map(({ sha }) => sha);
}

function historyPlaces({ files }) {
  const places = new Map();
  for (const { history } of files) {
    for (const [place, { sha }] of history.entries()) places.set(sha, Math.min(place, places.get(sha) ?? 99));
  }
  return places;
}

/** 4.18 · 0.7^frame · exp(−distance / 10) − 0.83 · ln(1 + age in days), over commits of the stack's files. */
function nearAndRecent({ positions, files, crashedAt }) {
  const near = new Map();
  const times = new Map();
  for (const { ranges, history } of files) {
    for (const { sha, committed_at } of [...ranges, ...history]) times.set(sha, committed_at);
  }
  for (const [depth, { line, views }] of positions.entries()) {
    for (const { start, end, sha } of views[0].ranges) {
      const distance = Math.max(start - line, line - end, 0);
      near.set(sha, Math.max(near.get(sha) ?? 0, 0.7 ** depth * Math.exp(-distance / 10)));
    }
  }
  const now = Date.parse(crashedAt);
  return [...times]
    .map(([sha, committed_at]) => ({ sha, days: (now - Date.parse(committed_at)) / 86_400_000 }))
    .filter(({ days }) => days >= 0)
    .map(({ sha, days }) => ({ sha, score: 4.18 * (near.get(sha) ?? 0) - 0.83 * Math.log(1 + days) }))
    .sort((x, y) => y.score - x.score || (x.sha < y.sha ? -1 : 1))
    .map(({ sha }) => sha);
}
