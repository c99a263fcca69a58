import type { HistoryGap } from '@culprit/core/internal/domain/history-gap';
import { type NoSuspect, remedyOf } from '@culprit/core/internal/domain/suspect';
import { Copy } from '../parts/copy.js';
import { Text } from '../parts/text.js';

/** What to do about a run without a suspect. */
export function Remedy({ none }: { readonly none: NoSuspect }) {
  const { text, command } = remedyOf(none.code);
  return (
    <p>
      {text} {command !== undefined && <Command text={command} />}
    </p>
  );
}

/** What the repository does not show, with the command that closes each gap. */
export function Gaps({ gaps }: { readonly gaps: readonly HistoryGap[] }) {
  if (gaps.length === 0) return null;
  return (
    <div class="callout" data-tone="amber">
      {gaps.map(({ detail, command }) => (
        <p key={detail}>
          <Text of={detail} /> {command !== null && <Command text={command} />}
        </p>
      ))}
    </div>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <>
      <code>{text}</code> <Copy what="the command" text={text} />
    </>
  );
}
