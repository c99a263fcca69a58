import { ApiError } from '@culprit/client';
import type { Run, RunSummary } from '@culprit/core';
import { MERGE_REFUSALS, MERGE_TARGETS, mergeRefusal } from '@culprit/core/internal/domain/merge';
import { parseSearch, searchProblemText } from '@culprit/core/internal/domain/search/parse-search';
import { type Signal, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { plural } from '../format.js';
import { Combobox } from '../parts/combobox.js';
import { ask } from '../parts/dialog.js';
import { StatePill } from '../parts/pill.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { parseRoute } from '../state/route.js';
import { notice } from '../state/session.js';
import type { Plan } from './action.js';
import { undoMerge } from './works.js';

/** Asks for the other run, then names both and what will happen. */
export async function planMerge(run: Run): Promise<Plan | null> {
  const form = mergeForm(run);
  const given = await ask({
    title: 'Merge this run into another one?',
    content: (
      <>
        <Text as="p" of={run.title} class="what" />
        <MergeChoice run={run} form={form} />
      </>
    ),
    confirm: 'Continue',
    focus: '#merge-into',
  });
  const chosen = chosenOf(form.value);
  if (given === null || chosen === null) return null;
  const into = await api.getRun({ run_id: chosen.run_id });
  const refusal = mergeRefusal(run, into);
  if (refusal !== null) {
    notice.value = { tone: 'red', text: `Not merged. ${MERGE_REFUSALS[refusal]}` };
    return null;
  }
  return {
    question: {
      title: 'Merge these runs?',
      content: <WhatHappens run={run} into={into} />,
      confirm: 'Merge',
    },
    doing: 'Merging',
    done: 'Merged',
    leaves: true,
    send: ({ run_id }) => api.mergeRun({ run_id, into: into.run_id }),
    undo: undoMerge,
  };
}

function WhatHappens({ run, into }: { readonly run: Run; readonly into: Run }) {
  return (
    <>
      <Text as="p" of={run.title} class="what" />
      <p>
        Its {plural(run.occurrences, 'crash', 'crashes')}, and later ones, are counted on the run below. The
        merged run stays readable and leaves the inbox.
      </p>
      <Text as="p" of={into.title} class="what" />
      <p>
        This run has {plural(into.occurrences, 'crash', 'crashes')} and keeps its draft. You can split the
        runs again.
      </p>
    </>
  );
}

/** A run that can be chosen. */
type Option = Pick<
  RunSummary,
  'run_id' | 'title' | 'state' | 'place' | 'occurrences' | 'last_seen' | 'publication'
>;
/** The field of the dialog and what it offers. */
interface MergeForm {
  readonly text: string;
  readonly options: readonly Option[];
  readonly active: number;
  /** What the list is, or why it is empty. */
  readonly says: string;
}

const MAX = 6;
const READ = 30;
const TYPING_MS = 120;
const STATES = MERGE_TARGETS.join(',');

/** Starts to look for likely runs at once. */
function mergeForm(run: Run): Signal<MergeForm> {
  const form = signal<MergeForm>({ text: '', options: [], active: 0, says: 'Looking for similar runs…' });
  void look(run, form, () => likely(run));
  return form;
}

/** The run that was chosen; `null` if none. */
function chosenOf({ options, active }: MergeForm): Option | null {
  return options[active] ?? null;
}

interface MergeChoiceProps {
  readonly run: Run;
  readonly form: Signal<MergeForm>;
}

/** Chooses the other run: likely ones first, then those that a search finds, or the one of a pasted link. */
function MergeChoice({ run, form }: MergeChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  const { text, options, active, says } = form.value;
  const chosen = chosenOf(form.value);
  useLayoutEffect(() => {
    input.current?.setCustomValidity(chosen === null ? 'Choose a run, or paste a link to one.' : '');
  }, [chosen]);
  const choose = (place: number) => {
    form.value = { ...form.value, active: place };
  };
  const type = (typed: string) => {
    // Enter must not choose what the last text has found.
    form.value = { text: typed, options: [], active: 0, says: 'Searching…' };
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void look(run, form, () => find(run, typed)), TYPING_MS);
  };
  return (
    <div class="stack">
      <label for="merge-into">Merge into this run, which then counts the crashes of both</label>
      <Combobox
        field={input}
        id="merge-into"
        list="merge-options"
        label="Runs to merge into"
        options={options}
        active={active}
        keyOf={({ run_id }) => run_id}
        show={(one) => <OptionText run={one} />}
        mark={choose}
        choose={(_, place) => choose(place)}
        text={text}
        placeholder="Search, or paste a link"
        typed={({ value }) => type(value)}
      >
        <Text as="p" of={says} class="soft" role="status" />
      </Combobox>
    </div>
  );
}

function OptionText({ run }: { readonly run: Option }) {
  const { title, state, place, occurrences, last_seen, publication } = run;
  const file = place?.file?.split('/').slice(-2).join('/') ?? '';
  const where = [place?.function ?? '', file].filter(Boolean).join(' at ');
  return (
    <>
      <Text of={title} class="title" />
      <span class="soft">
        <StatePill state={state} /> {publication !== null && <span class="num">#{publication.number} </span>}
        <span class="num">{plural(occurrences, 'crash', 'crashes')}</span>
        <Text of={where === '' ? '' : ` · ${where}`} />
        {' · '}
        <When iso={last_seen} />
      </span>
    </>
  );
}

/** Shows what is found, unless the text has changed meanwhile. */
async function look(
  run: Run,
  form: Signal<MergeForm>,
  work: () => Promise<Pick<MergeForm, 'options' | 'says'>>,
): Promise<void> {
  const { text } = form.value;
  const found = await work().catch((error) => ({
    options: [],
    says:
      error instanceof ApiError ? error.message : `The runs of ${run.project} could not be read. Try again.`,
  }));
  if (form.value.text === text) form.value = { ...form.value, ...found, active: 0 };
}

async function likely(run: Run): Promise<Pick<MergeForm, 'options' | 'says'>> {
  // A title of punctuation alone is no search.
  const searches = searchesFor(run).filter((q) => !('problem' in parseSearch(q)));
  const pages = await Promise.all(
    ['', ...searches].map((q) =>
      api.listRuns({ state: STATES, project: run.project, q, order: 'seen', limit: READ }),
    ),
  );
  const all = new Map(pages.flatMap(({ runs }) => runs.map((one) => [one.run_id, one] as const)));
  const options = byLikeness(
    run,
    [...all.values()].filter((one) => mergeRefusal(run, one) === null),
  ).slice(0, MAX);
  const says =
    options.length === 0 ? 'This run cannot be merged into any other run.' : 'Most similar runs first.';
  return { options, says };
}

async function find(run: Run, typed: string): Promise<Pick<MergeForm, 'options' | 'says'>> {
  const text = typed.trim();
  if (text === '') return likely(run);
  const linked = text.includes('#') ? parseRoute(text.slice(text.indexOf('#') + 1)) : null;
  if (linked?.page === 'run') return ofLink(run, linked.id);
  const parsed = parseSearch(text);
  if ('problem' in parsed) return { options: [], says: searchProblemText(parsed.problem) };
  const { runs } = await api.listRuns({
    state: STATES,
    project: run.project,
    q: text,
    order: 'seen',
    limit: READ,
  });
  const options = runs.filter((one) => mergeRefusal(run, one) === null).slice(0, MAX);
  return { options, says: options.length === 0 ? 'No matching run that this one can be merged into.' : '' };
}

/** A link to a merged run stands for the run that counts its crashes. */
async function ofLink(run: Run, id: string): Promise<Pick<MergeForm, 'options' | 'says'>> {
  const named = await api.getRun({ run_id: id });
  const into =
    named.state === 'merged' && named.merged_into ? await api.getRun({ run_id: named.merged_into }) : named;
  const refusal = mergeRefusal(run, into);
  return refusal === null ? { options: [into], says: '' } : { options: [], says: MERGE_REFUSALS[refusal] };
}

type Likened = Pick<Run, 'run_id' | 'title' | 'place' | 'last_seen'>;

/** How much two runs look like one crash: 0 for nothing in common, at most 5. The place of the crash counts more than its title. */
function likeness(run: Likened, other: Likened): number {
  const [a, b] = [run.place, other.place];
  const sameFile = a?.file != null && a.file === b?.file;
  const sameFunction = a?.function != null && a.function === b?.function;
  const place = sameFile && sameFunction ? 3 : sameFile ? 1.5 : sameFunction ? 1 : 0;
  return place + 2 * shareOfWords(run.title, other.title);
}

/** The likeliest first; of equally likely ones that with the latest crash. */
function byLikeness<One extends Likened>(run: Likened, others: readonly One[]): readonly One[] {
  return others
    .map((other) => ({ other, like: likeness(run, other) }))
    .sort((x, y) => y.like - x.like || (x.other.last_seen < y.other.last_seen ? 1 : -1))
    .map(({ other }) => other);
}

/** Searches that find runs like this one: by its place, by the words before the colon of its title, and by the others. */
function searchesFor({ title, place }: Pick<Run, 'title' | 'place'>): readonly string[] {
  const { function: name = null, file = null } = place ?? {};
  const [type = '', ...rest] = title.split(': ');
  const about = rest.join(' ').match(LONG_WORD)?.slice(0, 2) ?? [];
  return [
    ...(name === null ? [] : [`function:${quoted(name)}`]),
    ...(file === null ? [] : [`file:${quoted(file)}`]),
    ...(type === '' ? [] : [quoted(type)]),
    ...(about.length === 0 ? [] : [about.map(quoted).join(' ')]),
  ];
}
const LONG_WORD = /[\p{L}\p{N}_]{5,}/gu;
/** Characters of one term; core refuses longer searches. */
const TERM_CHARS = 80;

function quoted(text: string): string {
  return `"${text.slice(0, TERM_CHARS).replace(/["\\]/g, '\\$&')}"`;
}

function shareOfWords(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const both = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - both;
  return all === 0 ? 0 : both / all;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}
