/** By id: acknowledged ⊆ staged ⊆ sent, none counted twice. Each crash of the load has its own run, identified by its title. */
export function judgeRuns(runs, load) {
  const byName = new Map();
  for (const run of runs) {
    const name = /Crash(\w{6})\b/.exec(run.title)?.[1] ?? run.title;
    byName.set(name, [...(byName.get(name) ?? []), run]);
  }
  const lost = [...load.acknowledged].filter((name) => !byName.has(name)).length;
  const invented = [...byName.keys()].filter((name) => !load.sent.has(name)).length;
  const doubled = [...byName.values()].filter((same) => same.length > 1 || same[0].occurrences > 1).length;
  return {
    ok: lost + invented + doubled === 0,
    sent: load.sent.size,
    acknowledged: load.acknowledged.size,
    staged: byName.size,
    lost,
    invented,
    doubled,
    repeats: load.repeats,
  };
}
