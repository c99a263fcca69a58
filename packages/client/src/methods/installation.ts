import type { Answer, Call } from '../call.js';
import type { EdgeCommand } from '../operations.js';

/** A saved view of the inbox: the query string of the board's address, by name. */
export type SavedView = Answer<'listViews', 200>['views'][number];

/** What core finds about its installation. */
export type Health = Answer<'getHealth', 200>;

/** The caller, saved views, edges, health, quotas and notifications. */
export function installationMethods(call: Call) {
  return {
    signIn: (token: string) => call('signIn', { body: { token } }),
    /** `link`: the secret of a sign-in link, after `#sign-in=`. */
    signInWithLink: (link: string) => call('signIn', { body: { link } }),
    /** Makes a link that opens the board signed in, once and within 15 minutes, as this reviewer token would. */
    signInLink: (token: string) => call('makeSignInLink', { body: { token } }),
    /** Whose session a sign-in link opens; does not use it up. */
    signInLinkHolder: (link: string) => call('getSignInLinkHolder', { body: { link } }),
    signOut: () => call('signOut', {}),
    session: () => call('getSession', {}),
    /** How people can sign in besides with a token. */
    signInOptions: () => call('getSignInOptions', {}),
    /** The signed-in browsers, newest first. `everybody`: needs the scope `operate`. */
    sessions: async (everybody = false) =>
      (await call('listSessions', { query: everybody ? { everybody } : {} })).sessions,
    endSession: (session_id: string) => call('endSession', { path: { session_id } }),

    views: async () => (await call('listViews', {})).views,
    /** Resolves with all views, like `deleteView`. */
    saveView: async (view: SavedView) => (await call('saveView', { body: view })).views,
    deleteView: async (name: string) => (await call('deleteView', { query: { name } })).views,

    edges: async () => (await call('listEdges', {})).edges,
    /** Figures of the last hour. */
    edgeHistory: async () => (await call('getEdgeHistory', {})).edges,
    /** The edge polls for commands, usually every five seconds. */
    commandEdge: (edge: string, action: EdgeCommand['action']) =>
      call('commandEdge', { path: { edge }, body: action }),
    /** Checks machine, settings, storage and every connector of core. Needs the scope `operate` in all projects. */
    health: () => call('getHealth', {}),
    /** What is known about the configured model; `null`: there is none. */
    model: async () => (await call('getModel', {})).model,
    quotas: async () => (await call('listQuotas', {})).quotas,
    failedNotifications: async () => (await call('listFailedNotifications', {})).notifications,
    retryNotification: (connector: string, run_id: string) =>
      call('retryNotification', { body: { connector, run_id } }),
  };
}
