import { type HistoryCheck, pages, sumOfChecks } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { exact, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Section } from '../parts/page.js';
import { Pill } from '../parts/pill.js';
import { List, type Row } from '../parts/resource.js';
import { Text } from '../parts/text.js';
import { announcement, report } from '../state/session.js';

/** Breaks that are listed; the rest is counted. */
const MAX_LISTED = 100;
/** Entries of one part of the download. */
const PART = 1_000;
/** Runs of one request. */
const RUNS = 100;
/** How long the file stays readable for the browser's download. */
const KEPT_MS = 60_000;

/** What is running, and what it said. */
type Work =
  | { readonly doing: 'verifying'; readonly check: HistoryCheck | null }
  | { readonly doing: 'exporting'; readonly entries: number }
  | { readonly doing: null; readonly check: HistoryCheck | null };

/** Verifies the histories of all runs against their seals, and downloads them. */
export function Page() {
  const work = useSignal<Work>({ doing: null, check: null });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const left = new AbortController();
    leaving.current = left;
    return () => left.abort();
  }, []);
  const run = async (act: (client: typeof api) => Promise<HistoryCheck | null>) => {
    const { signal } = leaving.current;
    try {
      const check = await act(api.with({ signal }));
      work.value = { doing: null, check };
      if (check !== null) announcement.value = verdictOf(check);
    } catch (error) {
      if (signal.aborted) return;
      work.value = { doing: null, check: null };
      report(error);
    }
  };
  const verify = () =>
    run(async (client) => {
      let sum: HistoryCheck | null = null;
      work.value = { doing: 'verifying', check: null };
      for await (const page of pages(client.verifyHistories, { limit: RUNS })) {
        sum = sumOfChecks(sum, page);
        work.value = { doing: 'verifying', check: sum };
      }
      return sum;
    });
  const download = () =>
    run(async (client) => {
      work.value = { doing: 'exporting', entries: 0 };
      const entries = await save(client, (count) => {
        work.value = { doing: 'exporting', entries: count };
      });
      announcement.value = `${plural(entries, 'entry', 'entries')} downloaded.`;
      return null;
    });
  const now = work.value;
  return (
    <>
      <p class="soft">
        Every decision and step is an entry of its run’s history. With an audit key, each entry is sealed, so
        that changes in the storage are detected. <code>culprit audit</code> does the same without core.
      </p>
      <Section title="All histories">
        <p class="actions">
          <Button look="primary" disabled={now.doing !== null} onClick={() => void verify()}>
            Verify
          </Button>
          <Button disabled={now.doing !== null} onClick={() => void download()}>
            Download
          </Button>
          <span class="soft">{progressOf(now)}</span>
        </p>
        {now.doing === null && now.check !== null && <Result check={now.check} />}
      </Section>
    </>
  );
}

function progressOf(work: Work): string {
  if (work.doing === 'verifying') {
    const { check } = work;
    if (check === null) return 'Verifying…';
    return `Verifying… ${plural(check.entries, 'entry', 'entries')} of ${plural(check.runs, 'run')}`;
  }
  if (work.doing === 'exporting') return `Reading… ${plural(work.entries, 'entry', 'entries')}`;
  return 'One line of JSON for each entry. Changes nothing.';
}

function Result({ check }: { readonly check: HistoryCheck }) {
  const { findings, erased, first_at, last_at } = check;
  const facts = [
    ...(first_at === null || last_at === null ? [] : [`From ${exact(first_at)} to ${exact(last_at)}.`]),
    ...(erased === 0 ? [] : [`Names and reasons of ${plural(erased, 'entry', 'entries')} were erased.`]),
    ...(findings.some(({ kind }) => kind === 'unsealed')
      ? ['Entries from before AUDIT_KEY was set: culprit audit verify --sealed-since TIME accepts them.']
      : []),
  ];
  return (
    <>
      <p class="callout" data-tone={findings.length === 0 ? 'green' : 'red'}>
        <b>{verdictOf(check)}</b>
        <br />
        <span class="soft">{facts.join(' ')}</span>
      </p>
      <List title="What was changed" rows={findings.slice(0, MAX_LISTED).map(rowOf)} />
      {findings.length > MAX_LISTED && (
        <p class="soft">{findings.length - MAX_LISTED} more: culprit audit verify lists all.</p>
      )}
    </>
  );
}

function rowOf({ run_id, kind, sequence, detail }: HistoryCheck['findings'][number]): Row {
  return {
    key: `${run_id} ${kind} ${sequence}`,
    name: run_id,
    title: (
      <a href={`#${run_id}`}>
        <Text as="code" of={run_id} />
      </a>
    ),
    pills: <Pill tone="red">{kind}</Pill>,
    rest: <Text as="p" of={detail} />,
  };
}

function verdictOf({ entries, runs, findings }: HistoryCheck): string {
  const checked = `${plural(entries, 'entry', 'entries')} of ${plural(runs, 'run')}`;
  return findings.length === 0
    ? `${checked} verified.`
    : `${checked} checked: ${plural(findings.length, 'break')} found.`;
}

/** Saves a file with one line of JSON for each entry; resolves with their number. */
async function save(client: typeof api, progress: (entries: number) => void): Promise<number> {
  const parts: Blob[] = [];
  let lines: string[] = [];
  let entries = 0;
  const flush = () => {
    // A browser keeps large blobs on disk, not in the page's memory.
    parts.push(new Blob([lines.join('')]));
    lines = [];
    progress(entries);
  };
  for await (const page of pages(client.exportHistories, { limit: RUNS })) {
    lines.push(...page.entries.map((entry) => `${JSON.stringify(entry)}\n`));
    entries += page.entries.length;
    if (lines.length >= PART) flush();
  }
  flush();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' }));
  link.download = `culprit-history-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  return entries;
}
