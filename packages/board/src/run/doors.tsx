import type { Run } from '@culprit/core';
import { sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { plural, whole } from '../format.js';

/** How the crashes were received, with counts, and a warning if anyone could have sent some of them. */
export function Doors({ run }: { readonly run: Run }) {
  const sources = sourcesOf(run);
  const { unknown } = trustMix(run);
  return (
    <>
      <span>
        {sources.map(({ door, trust, occurrences }, at) => (
          <span key={`${door} ${trust}`} data-trust={trust}>
            {at > 0 && ', '}
            {door}
            {sources.length > 1 && occurrences > 0 && <span class="num"> ×{whole(occurrences)}</span>}
            {trust === 'untrusted' && <span class="soft"> (public key)</span>}
          </span>
        ))}
      </span>
      {sources.length > 1 && unknown > 0 && (
        <span class="soft">
          {' '}
          and {plural(unknown, 'earlier crash', 'earlier crashes')}, not counted by door
        </span>
      )}
      <Warning run={run} />
    </>
  );
}

function Warning({ run }: { readonly run: Run }) {
  const warning = trustWarning(run);
  return warning === null ? null : <span class="warn"> {warning}</span>;
}

/** `null` if every crash is trusted. */
export function trustWarning(run: Run): string | null {
  const { kind, untrusted } = trustMix(run);
  if (kind === 'trusted') return null;
  if (kind === 'untrusted') return 'Every crash came with a public key, so anyone could have sent it.';
  const some =
    untrusted === 0
      ? 'Some crashes'
      : `${whole(untrusted)} of ${plural(run.occurrences, 'crash', 'crashes')}`;
  const shown =
    trustOf(run.event) === 'trusted'
      ? `Shown: the latest trusted crash, through ${run.event.door}.`
      : 'Shown: an untrusted crash that an older version stored.';
  return `${some} came with a public key, so anyone could have sent them. ${shown}`;
}
