import { useEffect } from 'preact/hooks';
import { ago } from '../format.js';
import { Key } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { catchUp, editing, newer, shown } from '../state/run.js';

/** What somebody else did while this was being read. It is told, and shown only when the reader wants it. */
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
            <b class="untrusted">{visible(by ?? 'Somebody')}</b> {DID[name] ?? 'changed this run'}{' '}
            <time dateTime={at}>{ago(at)}</time>.{' '}
          </span>
        ))}
        {draftChanged && now.run.draft !== null && 'You are looking at the draft as it was before.'}
      </p>
      <button type="button" class="button small" onClick={catchUp}>
        Show what is there now <Key name="U" />
      </button>
    </div>
  );
}

const DID: Readonly<Record<string, string>> = {
  'gate1.approve': 'opened Gate 1',
  'gate1.reject': 'rejected this run',
  'gate2.approve': 'signed the draft',
  'gate2.reject': 'rejected this run',
  'gate2.return': 'sent this run back to Gate 1',
  'draft.edit': 'edited the draft',
};
