/** Every run by the name of its crash, read page by page. `call(method, path)` resolves with the response's JSON, or `null`. */
export async function allRuns(call) {
  const runs = new Map();
  let cursor = '';
  do {
    const page = await call('GET', `/api/v1/runs?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const run of page?.runs ?? []) {
      const name = /Crash(\w{6})\b/.exec(run.title)?.[1] ?? run.title;
      runs.set(name, [...(runs.get(name) ?? []), run]);
    }
    cursor = page?.next ? encodeURIComponent(page.next) : '';
  } while (cursor);
  return runs;
}
