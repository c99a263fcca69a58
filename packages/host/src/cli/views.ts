import type { SavedView } from '@culprit/client';
import {
  type Filter,
  ORDERS,
  readFilter,
  SORTS,
  type Sort,
  VIEWS,
  type View,
  writeFilter,
} from '@culprit/core/internal/domain/inbox-filter';
import { parseSearch, searchProblemText } from '@culprit/core/internal/domain/search/parse-search';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { form, overCore } from './over-core.js';
import { clipped, oneLine, tableText } from './print.js';
import type { ReadFlags } from './read-flags.js';

const STATES = Object.keys(VIEWS) as View[];
/** As `culprit runs list` calls them. */
const NAMES = Object.values(ORDERS);

/** The saved views of the inbox. */
export const { usage, run } = overCore(
  'views',
  {
    flags: {
      state: {
        value: 'STATE',
        meaning: `save: ${STATES.join(', ')}, or the states of one of them as in \`culprit runs list\` (default waiting)`,
      },
      project: { value: 'NAME', meaning: 'save: only this project' },
      search: { value: 'SEARCH', meaning: 'save: only what a search finds' },
      order: { value: 'ORDER', meaning: `save: ${NAMES.join(', ')} (default newest)` },
    },
    notes: [
      'Views are your own, and the board shows the same. `culprit runs list --view NAME` lists the runs of one. Saving a view with the name of another replaces it.',
    ],
  },
  {
    '[list]': form('', {
      call: ({ api }) => api.listViews(),
      text: ({ views }) =>
        views.length === 0
          ? 'No saved views.\n'
          : tableText(views.map((view) => [clipped(view.name, 60), wordsOf(view)])),
    }),
    save: form('NAME [--state STATE] [--project NAME] [--search SEARCH] [--order ORDER]', {
      call: ({ api, flags, args: [name = ''] }) => api.saveView({ name, address: addressOf(flags) }),
      text: (_, { flags, args: [name = ''] }) =>
        `saved: ${oneLine(name)} is ${wordsOf({ name, address: addressOf(flags) })}\n`,
    }),
    delete: form('NAME', {
      call: async ({ api, args: [wanted = ''] }) => {
        const { name } = findView((await api.listViews()).views, wanted);
        return api.deleteView({ name });
      },
      text: (_, { args: [name = ''] }) => `deleted: ${oneLine(name)}\n`,
    }),
  },
);

/** The view with this name; otherwise a failure with the names that there are. */
export function findView(views: readonly SavedView[], name: string): SavedView {
  const found = views.find((view) => view.name === name);
  if (found !== undefined) return found;
  const known =
    views.length === 0
      ? 'You have none.'
      : `You have ${views.map((view) => JSON.stringify(view.name)).join(', ')}.`;
  throw new CommandFailure(`No saved view ${JSON.stringify(name)}. ${known}`, EXIT.notFound);
}

/** What core is asked for the runs of a view. */
export function queryOf({ address }: SavedView) {
  const { view, project, query, sort } = readFilter(address);
  return {
    state: VIEWS[view].states.join(','),
    order: ORDERS[sort],
    ...(project === '' ? {} : { project }),
    ...(query.trim() === '' ? {} : { q: query.trim() }),
  };
}

/** `gate2, project shop, search level:fatal, crashes first` */
function wordsOf({ address }: SavedView): string {
  const { view, project, query, sort } = readFilter(address);
  return [
    view,
    ...(project === '' ? [] : [`project ${clipped(project, 60)}`]),
    ...(query === '' ? [] : [`search ${clipped(query, 200)}`]),
    SORTS[sort].toLowerCase(),
  ].join(', ');
}

function addressOf(flags: ReadFlags): string {
  const order = flags.oneOf('order', NAMES, 'newest');
  const query = flags.text('search') ?? '';
  const parsed = parseSearch(query);
  if ('problem' in parsed) throw usageError(`--search: ${searchProblemText(parsed.problem)}`);
  const filter: Filter = {
    view: viewOf(flags.text('state') ?? 'waiting'),
    project: flags.text('project') ?? '',
    query,
    sort: (Object.keys(ORDERS) as Sort[]).find((sort) => ORDERS[sort] === order) ?? 'newest',
  };
  return writeFilter(filter);
}

/** `gate2` or `staged_draft`. */
function viewOf(text: string): View {
  const wanted = String(
    text
      .split(',')
      .map((state) => state.trim())
      .sort(),
  );
  const found = STATES.find((view) => view === text || String([...VIEWS[view].states].sort()) === wanted);
  if (found === undefined) throw unknownWord('state', text, STATES);
  return found;
}
