// The webhooks of a large installation: four for each of 250 teams, given to core and taken away while it runs.
import { randomUUID } from 'node:crypto';
import { EVENT_NAMES } from '@culprit/core/internal/domain/webhook-events';
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

/**
 * `values` with webhooks that `give(kind)` replaces at once; `null`: none. Their list is kept in memory, because a list of this length
 * that is written before each turn would be work of the turn. Core finds another list with the next change of a run.
 */
export function givenWebhooks(values, url) {
  const store = webhookStore(values, Date.now);
  const at = new Date().toISOString();
  const made = { created_at: at, created_by: 'bench', active_since: at, earlier: [], turned_off: null };
  const given = new Map([
    ['webhook:list', '[]'],
    ['webhook:changed', '0'],
  ]);
  let hasSecrets = false;
  return {
    values: { ...values, get: async (key) => given.get(key) ?? values.get(key) },
    async give(kind) {
      const all = (kind === null ? [] : subscriptions(kind, url)).map((settings, number) => {
        return { ...settings, ...made, id: `wh_bench${String(number).padStart(16, '0')}` };
      });
      if (all.length > 0 && !hasSecrets) await Promise.all(all.map(({ id }) => store.rotate(id)));
      hasSecrets ||= all.length > 0;
      given.set('webhook:list', JSON.stringify(all));
      given.set('webhook:changed', randomUUID());
    },
  };
}
