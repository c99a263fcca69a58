import { LEVELS } from '@culprit/core/internal/domain/event';
import {
  readFilter,
  SORTS,
  type Sort,
  VIEWS,
  type View,
  writeFilter,
} from '@culprit/core/internal/domain/inbox-filter';
import {
  parseSearch,
  searchProblemText,
  withQualifier,
} from '@culprit/core/internal/domain/search/parse-search';
import { signal } from '@preact/signals';
import { api } from '../api.js';
import { plural, whole } from '../format.js';
import { Select } from '../parts/choices.js';
import { ask } from '../parts/dialog.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { answer, filter, problem, projects, setFilter } from './inbox-state.js';
import { SearchBox } from './search-box.js';
import { isClosed } from './select.js';

export function Filters() {
  const { view, project, query, sort } = filter.value;
  // The URL may name a project without a loaded run.
  const names = [...new Set([...projects.value, ...(project === '' ? [] : [project])])];
  return (
    <search class="filters">
      <SearchBox />
      <div class="chips actions">
        <Select
          label="State"
          value={view}
          options={Object.entries(VIEWS).map(([name, { label }]) => [name, label])}
          choose={(name) => setFilter({ view: name as View })}
        />
        {(names.length > 1 || project !== '') && (
          <Select
            label="Project"
            value={project}
            options={[['', 'All projects'], ...names.map((name) => [name, name] as const)]}
            choose={(name) => setFilter({ project: name })}
          />
        )}
        {(!isClosed(view) || query !== '') && (
          <Select
            label="Order"
            value={sort}
            options={Object.entries(SORTS)}
            choose={(name) => setFilter({ sort: name as Sort })}
          />
        )}
        <button type="button" class="more-filters" aria-expanded={open.value} onClick={toggle}>
          Filters
        </button>
      </div>
      {open.value && (
        <div class="more">
          <div class="chips actions">
            <ValueSelect field="level" label="Level" all="Any level" />
            <ValueSelect field="env" label="Environment" all="Any environment" />
            <ValueSelect field="release" label="Release" all="Any release" />
          </div>
          <SavedViews />
        </div>
      )}
      <Answer />
    </search>
  );
}

const open = signal(false);
const MAX = 50;

function toggle(): void {
  open.value = !open.value;
}

interface ValueSelectProps {
  readonly field: 'level' | 'env' | 'release';
  readonly label: string;
  readonly all: string;
}

/** Chooses a value of a qualifier, which is a term of the search. */
function ValueSelect({ field, label, all }: ValueSelectProps) {
  const { query } = filter.value;
  const parsed = parseSearch(query);
  const current = 'problem' in parsed ? '' : (parsed.terms.find((term) => term.field === field)?.text ?? '');
  const { found } = useResource(() => api.listSearchValues({ field, limit: MAX }), field);
  const known = found?.values ?? [];
  const levels: readonly string[] = LEVELS;
  const listed =
    field === 'level' ? [...known].sort((a, b) => levels.indexOf(a.value) - levels.indexOf(b.value)) : known;
  const missing = current !== '' && !listed.some(({ value }) => value === current);
  return (
    <Select
      label={label}
      value={current}
      disabled={'problem' in parsed}
      options={[
        ['', all],
        ...(missing ? [[current, current] as const] : []),
        ...listed.map(({ value, runs }) => [value, `${value.slice(0, 60)} (${whole(runs)})`] as const),
      ]}
      choose={(value) => setFilter({ query: withQualifier(query, field, value === '' ? null : value) })}
    />
  );
}

/** How many runs match, or why the search cannot be answered. */
function Answer() {
  const { query } = filter.value;
  if (query.trim() === '') return null;
  const wrong = problem.value;
  const found = answer.value;
  const count =
    found === null ? '' : found.total === null ? 'Many candidates' : `${plural(found.total, 'run')} found`;
  return (
    <div class="answer">
      <p role="status" data-wrong={wrong !== null}>
        <Text of={wrong === null ? count : searchProblemText(wrong)} />
        {found?.indexing === true && ' Older runs are still being indexed.'}
      </p>
      <button type="button" class="clear" onClick={clear}>
        Clear
      </button>
    </div>
  );
}

function clear(): void {
  setFilter({ query: '' });
  document.getElementById('search')?.focus();
}

/** The reviewer's own views, which core keeps. */
function SavedViews() {
  const { found, act } = useResource(() => api.listViews());
  const current = writeFilter(filter.value);
  return (
    <div class="views">
      <h2 class="sr">Saved views</h2>
      <ul>
        {found?.views.map(({ name, address }) => (
          <li key={name}>
            <a
              href={address.startsWith('?') ? address : '?'}
              aria-current={address === current ? 'true' : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                setFilter(readFilter(address));
              }}
            >
              {visible(name)}
            </a>
            <button
              type="button"
              aria-label={`Delete the view ${visible(name)}`}
              onClick={() => void act(() => api.deleteView({ name }))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="save-view" onClick={() => void act(save)}>
        Save view
      </button>
    </div>
  );
}

/** Resolves with `false` if the reviewer cancels. */
async function save(): Promise<unknown> {
  const address = writeFilter(filter.value);
  const name = await ask({
    title: 'Save this view',
    content: (
      <p class="soft">
        State, project, search and order. Only you see it. A view with the same name is replaced.
      </p>
    ),
    confirm: 'Save',
    reason: 'Name',
  });
  if (name === null || name === '') return false;
  return api.saveView({ name: name.replace(/\s+/g, ' ').slice(0, 60), address });
}
