import type { Answer, Call } from '../call.js';
import type { Operations, Run } from '../operations.js';

const ASYNC = { prefer: 'respond-async' } as const;
const ifMatch = (digest: string) => ({ 'if-match': `"${digest}"` });

/** The draft, and the decisions at both gates. */
export function gateMethods(call: Call) {
  return {
    approveGateOne: (run_id: string) =>
      call('approveGateOne', { path: { run_id } }) as Promise<Answer<'approveGateOne', 200>>,
    /** Approves without waiting for the analysis. */
    startGateOne: (run_id: string) =>
      call('approveGateOne', { path: { run_id }, headers: ASYNC }) as Promise<Run>,
    rejectGateOne: (run_id: string, reason: string) =>
      call('rejectGateOne', { path: { run_id }, body: { reason } }),

    draft: (run_id: string) => call('getDraft', { path: { run_id } }),
    draftPreview: (run_id: string) => call('previewDraft', { path: { run_id } }),
    draftDifference: (run_id: string) => call('getDraftDifference', { path: { run_id } }),
    /** `digest`: of the draft that was edited. */
    saveDraft: (run_id: string, edit: Operations['editDraft']['body'], digest: string) =>
      call('editDraft', { path: { run_id }, body: edit, headers: ifMatch(digest) }),

    /** Publishes the draft with this digest. */
    approveGateTwo: (run_id: string, digest: string) =>
      call('approveGateTwo', { path: { run_id }, headers: ifMatch(digest) }) as Promise<
        Exclude<Answer<'approveGateTwo'>, Run>
      >,
    /** Signs without waiting for the issue. */
    startGateTwo: (run_id: string, digest: string) =>
      call('approveGateTwo', { path: { run_id }, headers: { ...ASYNC, ...ifMatch(digest) } }) as Promise<Run>,
    rejectGateTwo: (run_id: string, reason: string, to: 'staged_raw' | 'rejected') =>
      call('rejectGateTwo', { path: { run_id }, body: { reason, to } }),

    /** Hands a published run over, once for each target. `digest`: of the signed draft. */
    handOff: (
      run_id: string,
      to: Operations['handOffRun']['body']['to'],
      digest: string,
      comments?: string,
    ) => {
      const body = { to, ...(comments === undefined ? {} : { comments }) };
      return call('handOffRun', { path: { run_id }, body, headers: ifMatch(digest) });
    },
    /** Undoes a rejection. */
    reopen: (run_id: string) => call('reopenRun', { path: { run_id } }),
    /** The other run counts the crashes of both. */
    merge: (run_id: string, into: string) => call('mergeRun', { path: { run_id }, body: { into } }),
    split: (run_id: string) => call('splitRun', { path: { run_id } }),
  };
}
