import type { Client, SavedView } from '@culprit/client';
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
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

const STATES = Object.keys(VIEWS) as View[];
/** As `culprit runs list` calls them. */
const NAMES = Object.values(ORDERS);

export const usage: CommandUsage = {
  forms: [
    'views [list] [flags]',
    'views save NAME [--state STATE] [--project NAME] [--search SEARCH] [--order ORDER] [flags]',
    'views delete NAME [flags]',
  ],
  flags: {
    state: {
      value: 'STATE',
      meaning: `save: ${STATES.join(', ')}, or the states of one of them as in \`culprit runs list\` (default waiting)`,
    },
    project: { value: 'NAME', meaning: 'save: only this project' },
    search: { value: 'SEARCH', meaning: 'save: only what a search finds' },
    order: { value: 'ORDER', meaning: `save: ${NAMES.join(', ')} (default newest)` },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Views are your own, and the board shows the same. `culprit runs list --view NAME` lists the runs of one. Saving a view with the name of another replaces it.',
  ],
};

/** The saved views of the inbox. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', name, ...rest] = flags.positionals;
  if (!['list', 'save', 'delete'].includes(verb))
    throw unknownWord('subcommand', verb, ['list', 'save', 'delete']);
  if (rest.length > 0 || (verb === 'list' && name !== undefined))
    throw usageError('Too many arguments. Put a name with spaces in quotes.');
  if (verb === 'list') return list(flags, (await connect(flags).listViews()).views);
  if (name === undefined) throw usageError(`A name is missing: culprit views ${verb} NAME.`);
  const address = verb === 'save' ? addressOf(flags) : '';
  const api = connect(flags);
  const views = verb === 'save' ? (await api.saveView({ name, address })).views : await remove(api, name);
  if (flags.has('json')) printJson({ views });
  else
    print(
      verb === 'save'
        ? `saved: ${oneLine(name)} is ${wordsOf({ name, address })}\n`
        : `deleted: ${oneLine(name)}\n`,
    );
  return EXIT.done;
}

async function remove(api: Client, name: string): Promise<readonly SavedView[]> {
  return api
    .deleteView({ name: findView((await api.listViews()).views, name).name })
    .then(({ views }) => views);
}

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

function list(flags: ReadFlags, views: readonly SavedView[]): number {
  const rows = views.map((view) => [clipped(view.name, 60), wordsOf(view)]);
  if (flags.has('json')) printJson({ views });
  else print(rows.length === 0 ? 'No saved views.\n' : tableText(rows));
  return EXIT.done;
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
