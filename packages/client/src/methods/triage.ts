import type { Call } from '../call.js';
import type { Operations } from '../operations.js';

type FixedIn = NonNullable<Operations['resolveRun']['body']>;
type Until = Operations['snoozeRun']['body']['until'];

/** What reviewers do between decisions. */
export function triageMethods(call: Call) {
  return {
    snooze: (run_id: string, until: Until, reason?: string) =>
      call('snoozeRun', {
        path: { run_id },
        body: { until, ...(reason === undefined ? {} : { reason }) },
      }),
    /** Ends a snooze. */
    wake: (run_id: string) => call('wakeRun', { path: { run_id } }),
    /** `takeOver`: also if another reviewer has claimed it; otherwise that rejects with the code `claimed`. */
    claim: (run_id: string, takeOver = false) =>
      call('claimRun', { path: { run_id }, body: { take_over: takeOver } }),
    releaseClaim: (run_id: string) => call('releaseClaim', { path: { run_id } }),
    comment: (run_id: string, comment: string) =>
      call('commentOnRun', { path: { run_id }, body: { comment } }),
    /** Proposed changes of the draft, oldest first. */
    proposals: async (run_id: string) => (await call('listProposals', { path: { run_id } })).proposals,
    /** The draft stays as it is until a person takes the proposal over. */
    proposeDraftEdit: (run_id: string, edit: Operations['proposeDraftEdit']['body']) =>
      call('proposeDraftEdit', { path: { run_id }, body: edit }),
    dismissProposal: (run_id: string, proposal_id: string) =>
      call('dismissProposal', { path: { run_id, proposal_id } }),
    /** What `resolve`, or `unresolve`, would do to the issue. */
    resolutionEffect: (run_id: string, { commit, next_release }: FixedIn = {}) =>
      call('getResolutionEffect', {
        path: { run_id },
        query: { commit, next_release: next_release === true ? true : undefined },
      }),
    resolve: (run_id: string, fixedIn: FixedIn = {}) =>
      call('resolveRun', { path: { run_id }, body: fixedIn }),
    unresolve: (run_id: string) => call('unresolveRun', { path: { run_id } }),
  };
}
