import { useEffect } from 'preact/hooks';
import { ago } from '../format.js';
import { Key } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { catchUp, editing, newer, shown } from '../state/run.js';

/** Announces changes by other reviewers, and shows them on request. */
export function Changes() {
  const now = newer.value;
  const old = shown.value;
  useEffect(() => {
    if (now !== null && !editing.value && now.run.version === old?.run.version) catchUp();
  }, [now, old]);
  if (now === null || old === null) return null;
  const fresh = now.history.slice(old.history.length).filter(({ kind }) => kind === 'decision');
  const draftChanged = now.run.draft?.digest !== old.run.draft?.digest;
  return (
    <div class="changed banner" role="status">
      <p>
        {fresh.length === 0 && 'This run has changed. '}
        {fresh.map(({ sequence, by, name, at }) => (
          <span key={sequence}>
            <b class="untrusted">{visible(by ?? 'Another reviewer')}</b> {DID[name] ?? 'changed this run'}{' '}
            <time dateTime={at}>{ago(at)}</time>.{' '}
          </span>
        ))}
        {draftChanged && now.run.draft !== null && 'This page still shows the previous draft.'}
      </p>
      <button type="button" class="button small" onClick={catchUp}>
        Show the latest version <Key name="U" />
      </button>
    </div>
  );
}

const DID: Readonly<Record<string, string>> = {
  'gate1.approve': 'approved Gate 1',
  'gate1.reject': 'rejected this run',
  'gate2.approve': 'signed the draft',
  'gate2.reject': 'rejected this run',
  'gate2.return': 'returned this run to Gate 1',
  'gate1.reopen': 'undid the rejection',
  'gate2.reopen': 'undid the rejection',
  'gate1.snooze': 'snoozed this run',
  'gate2.snooze': 'snoozed this run',
  'snooze.change': 'changed the snooze',
  'gate1.wake': 'ended the snooze',
  'gate2.wake': 'ended the snooze',
  claim: 'claimed this run',
  'claim.release': 'released the claim',
  comment: 'commented',
  'draft.edit': 'edited the draft',
};
