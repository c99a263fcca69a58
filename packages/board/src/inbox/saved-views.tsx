import type { SavedView } from '@culprit/client';
import { readFilter, writeFilter } from '@culprit/core/internal/domain/inbox-filter';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { report } from '../state/session.js';
import { filter, setFilter } from './inbox-state.js';

const saved = signal<readonly SavedView[]>([]);

/** The reviewer's own views, which core keeps. */
export function SavedViews() {
  useEffect(() => {
    api.listViews().then(show, report);
  }, []);
  const current = writeFilter(filter.value);
  return (
    <div class="views">
      <h2 class="sr">Saved views</h2>
      <ul>
        {saved.value.map(({ name, address }) => (
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
              onClick={() => void remove(name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="save-view" onClick={() => void save()}>
        Save view
      </button>
    </div>
  );
}

function show({ views }: { readonly views: readonly SavedView[] }): void {
  saved.value = views;
}

async function save(): Promise<void> {
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
  if (name === null || name === '') return;
  await api.saveView({ name: name.replace(/\s+/g, ' ').slice(0, 60), address }).then(show, report);
}

async function remove(name: string): Promise<void> {
  await api.deleteView({ name }).then(show, report);
}
