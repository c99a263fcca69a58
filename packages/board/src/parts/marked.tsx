import { visible } from './text.js';

/** What Culprit writes for a redacted value, and what SDKs write. */
const REDACTED = /(\[redacted:[a-z0-9_-]{1,40}\](?:~\d+)?|\[Filtered\]|\[REDACTED\])/g;

/** Untrusted text in which redacted values are marks that name their rule. */
export function Marked({ text }: { readonly text: string }) {
  const parts = visible(text).split(REDACTED);
  if (parts.length === 1) return <>{parts[0]}</>;
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <mark key={index} class="redacted" title={reasonOf(part)}>
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </>
  );
}

function reasonOf(mark: string): string {
  const rule = /^\[redacted:([a-z0-9_-]+)\]/.exec(mark)?.[1];
  return rule === undefined
    ? 'Redacted by the sender’s SDK'
    : `Redacted before storage by the rule “${rule}”`;
}
