import { ICONS, Icon } from '../parts/icons.js';
import { Key } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { filter, projects, setFilter } from './inbox-state.js';
import { focusRow } from './row-focus.js';
import { isClosed, SORTS, type Sort, VIEWS, type View } from './select.js';

export function Filters() {
  const { view, project, query, sort } = filter.value;
  // The URL may name a project without a loaded run.
  const names = [...new Set([...projects.value, ...(project === '' ? [] : [project])])];
  return (
    <search class="filters">
      <div class="search">
        <Icon path={ICONS.search} />
        <input
          id="search"
          type="search"
          value={query}
          placeholder="Search title, ID, release"
          aria-label="Search runs"
          autocomplete="off"
          onInput={({ currentTarget }) => setFilter({ query: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
            if (focusRow(0)) event.preventDefault();
          }}
        />
        <Key name="/" />
      </div>
      <div class="chips">
        <select
          aria-label="State"
          value={view}
          onChange={({ currentTarget }) => setFilter({ view: currentTarget.value as View })}
        >
          {Object.entries(VIEWS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        {(names.length > 1 || project !== '') && (
          <select
            aria-label="Project"
            value={project}
            onChange={({ currentTarget }) => setFilter({ project: currentTarget.value })}
          >
            <option value="">All projects</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        )}
        {!isClosed(view) && (
          <select
            aria-label="Order"
            value={sort}
            onChange={({ currentTarget }) => setFilter({ sort: currentTarget.value as Sort })}
          >
            {Object.entries(SORTS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </div>
    </search>
  );
}
