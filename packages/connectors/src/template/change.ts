import type { Claim, ExplainRequest } from '@culprit/core/connector';
import { type HunkLine, MECHANISM_CODES, type Suspect } from '@culprit/core/internal/domain/suspect';
import { mightStandOut } from '@culprit/core/internal/domain/verdict';
import { sentence } from '@culprit/core/internal/pipeline/explain/phrases';
import type { Quotes } from './quotes.js';

/** Lines on either side of the crashed line that count as next to it. */
const NEXT_TO = 3;

/** The suspected change, what it did to the crashed line, and the commit that last changed that line if it is another. */
export function changeClaims(request: ExplainRequest, quotes: Quotes): readonly Claim[] {
  const first = request.suspects[0];
  const commit = first && quotes.line(`commit:${first.sha}`, 0);
  if (!first || !commit) return [];
  const sha = first.sha.slice(0, 7);
  const verdict = {
    auto: sentence`Commit ${sha} (${commit.quote}) is very likely the cause.`,
    likely: sentence`Commit ${sha} (${commit.quote}) is likely the cause.`,
    recent: mightStandOut(first)
      ? sentence`Commit ${sha} (${commit.quote}) is a possible cause.`
      : sentence`No commit stands out. The top candidate is commit ${sha} (${commit.quote}).`,
  }[first.verdict];
  const did = effectOf(first, quotes) ?? reasonOf(first);
  const main = { text: `${verdict}${did.text}`, cites: [commit, ...did.cites] };
  return [main, ...lastChangeOfLine(request, quotes), ...shared(request, quotes)];
}

const ADDED = ' It added the crashed line.';

/** What the change did at the crashed line or next to it. */
function effectOf({ sha, hunk }: Suspect, quotes: Quotes): Claim | null {
  const at = hunk?.lines.findIndex(({ crashed }) => crashed) ?? -1;
  const line = hunk?.lines[at];
  if (!hunk || !line) return null;
  return line.kind === 'added' ? wrote(hunk.lines, at, sha, quotes) : nextToIt(hunk.lines, at, sha, quotes);
}

/** The crashed line in the suspect's diff, and the line that it replaced. */
function wrote(lines: readonly HunkLine[], at: number, sha: string, quotes: Quotes): Claim | null {
  const now = quotes.text(`hunk:${sha}`, lines[at]?.text ?? '');
  if (!now) return null;
  const replaced = replacedBy(lines, at);
  const before = replaced === null ? null : quotes.text(`hunk:${sha}`, replaced);
  if (!before) return { text: ADDED, cites: [now] };
  const text = sentence` It rewrote the crashed line, which was ${before.quote} before.`;
  return { text, cites: [now, before] };
}

/** The removed line that an added one replaces: the line of the same block that shares the most words with it. */
function replacedBy(lines: readonly HunkLine[], at: number): string | null {
  let first = at;
  while (lines[first - 1]?.kind === 'added') first--;
  let top = first;
  while (lines[top - 1]?.kind === 'removed') top--;
  const words = wordsOf(lines[at]?.text ?? '');
  const [best] = lines
    .slice(top, first)
    .map(({ text }) => ({ text, shared: [...wordsOf(text)].filter((word) => words.has(word)).length }))
    .sort((one, other) => other.shared - one.shared);
  return best && best.shared > 0 ? best.text : null;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_]\w+/g));
}

/** The change nearest to the crashed line, for a commit that did not change that line itself. */
function nextToIt(lines: readonly HunkLine[], at: number, sha: string, quotes: Quotes): Claim | null {
  const near = [...lines.entries()]
    .filter(
      ([index, { kind, text }]) =>
        kind !== 'context' && text.trim() !== '' && Math.abs(index - at) <= NEXT_TO,
    )
    .sort(
      ([a, one], [b, other]) =>
        Math.abs(a - at) - Math.abs(b - at) || (one.kind === 'added' ? -1 : other.kind === 'added' ? 1 : 0),
    );
  const [index, line] = near[0] ?? [];
  if (index === undefined || line === undefined) return null;
  const changed = quotes.text(`hunk:${sha}`, line.text);
  if (!changed) return null;
  if (line.kind === 'removed') {
    return { text: sentence` Next to the crashed line, it removed ${changed.quote}.`, cites: [changed] };
  }
  const replaced = replacedBy(lines, index);
  const before = replaced === null ? null : quotes.text(`hunk:${sha}`, replaced);
  if (!before)
    return { text: sentence` Next to the crashed line, it added ${changed.quote}.`, cites: [changed] };
  const text = sentence` Next to the crashed line, it changed ${before.quote} to ${changed.quote}.`;
  return { text, cites: [before, changed] };
}

function isMechanism(code: string): boolean {
  return MECHANISM_CODES.some((one) => one === code);
}

/** The suspect's first reason about its change or a line, if its diff does not show the crashed line. */
function reasonOf({ reasons }: Suspect): Claim {
  const reason = reasons.find((one) => 'role' in one || isMechanism(one.code));
  return { text: reason ? ` It ${reason.text}.` : '', cites: [] };
}

/** The suspect that last changed the crashed line, if it is not the first one. */
function lastChangeOfLine({ suspects }: ExplainRequest, quotes: Quotes): readonly Claim[] {
  const index = suspects.findIndex(({ reasons }) =>
    reasons.some((reason) => reason.code === 'last_changed_line' && reason.role === 'crashed'),
  );
  const suspect = suspects[index];
  const commit = suspect && index > 0 ? quotes.line(`commit:${suspect.sha}`, 0) : null;
  if (!suspect || !commit) return [];
  const text = sentence`The crashed line itself was last changed by commit ${suspect.sha.slice(0, 7)} (${commit.quote}).`;
  const did = effectOf(suspect, quotes);
  if (did === null || did.text === ADDED) return [{ text, cites: [commit] }];
  return [{ text: `${text}${did.text}`, cites: [commit, ...did.cites] }];
}

/** A quoted name of the error that also appears in a changed line other than the crashed one. */
function shared({ suspects }: ExplainRequest, quotes: Quotes): readonly Claim[] {
  const [first] = suspects;
  const { thrown } = quotes;
  if (!first?.hunk || !thrown) return [];
  const names = [...thrown.text.matchAll(/['"`]([A-Za-z_$][\w$.]{1,60})['"`]/g)].flatMap(
    ([, name]) => name ?? [],
  );
  const changed = first.hunk.lines.filter(({ kind }) => kind !== 'context');
  for (const name of names) {
    const word = new RegExp(`(?<![\\w$])${name.replace(/[.$]/g, '\\$&')}(?![\\w$])`);
    const lines = changed.filter(({ text }) => word.test(text));
    const line = lines.some(({ crashed }) => crashed) ? undefined : lines[0];
    const inError = quotes.around(thrown.id, name);
    const inDiff = line && quotes.text(`hunk:${first.sha}`, line.text);
    if (inError && inDiff) {
      const text = sentence`The error mentions ${name}, which appears in the diff of commit ${first.sha.slice(0, 7)}.`;
      return [{ text, cites: [inError, inDiff] }];
    }
  }
  return [];
}
