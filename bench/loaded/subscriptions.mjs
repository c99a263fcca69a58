// The webhooks of a large installation: four for each of 250 teams, made before core starts.

import { EVENT_NAMES } from '../../packages/host/dist/webhooks/event-types.js';
import { webhookStore } from '../../packages/host/dist/webhooks/webhook-store.js';

export const SUBSCRIPTIONS = 1_000;
/** The project of the measured crashes, and of the first team. */
export const PROJECT = 'default';

/** What the programs of one team listen to: a chat room, a dashboard, a tracker, and the people on call. */
const OF_TEAM = [
  { name: 'chat', events: ['run.draft_ready', 'run.analysis_failed'] },
  { name: 'dashboard', events: ['issue.published', 'issue.publish_failed'] },
  { name: 'tracker', events: ['run.regressed', 'run.fixed', 'run.unfixed', 'run.rejected'] },
  { name: 'on call', events: ['run.created', 'run.regressed'], levels: ['fatal'] },
];
const EMPTY = { projects: [], levels: [], environments: [], enabled: true };

/**
 * `ordinary`: each webhook wants some events of its team's project. `one`: besides, one gets every new run of the measured
 * project. `all`: every webhook gets everything.
 */
export function subscriptions(kind, url) {
  const teams = SUBSCRIPTIONS / OF_TEAM.length;
  const ordinary = Array.from({ length: teams }, (_, team) =>
    OF_TEAM.map((one, at) => ({
      ...EMPTY,
      ...one,
      projects: [team === 0 ? PROJECT : `team-${team}`],
      url: `${url}/${team}/${at}`,
    })),
  ).flat();
  if (kind === 'all') return ordinary.map((one) => ({ ...one, ...EMPTY, events: EVENT_NAMES }));
  if (kind === 'ordinary') return ordinary;
  const every = {
    ...EMPTY,
    name: 'every run',
    events: ['run.created'],
    projects: [PROJECT],
    url: `${url}/one`,
  };
  return [...ordinary.slice(0, -1), every];
}

/** Stores them at once, before core starts: 1,000 calls of the API take minutes on a slow disk. */
export async function subscribe(values, kind, url) {
  const store = webhookStore(values, Date.now);
  const at = new Date().toISOString();
  const made = { created_at: at, created_by: 'bench', active_since: at, earlier: [], turned_off: null };
  const all = subscriptions(kind, url).map((settings, number) => {
    return { ...settings, ...made, id: `wh_bench${String(number).padStart(16, '0')}` };
  });
  await Promise.all(all.map(({ id }) => store.rotate(id)));
  await values.set('webhook:list', JSON.stringify(all));
  const stored = (await store.list()).length;
  if (stored !== all.length) throw new Error(`${stored} webhooks are stored`);
}
