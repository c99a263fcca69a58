import { type Claim, type ExplainRequest, type HunkLine, type Suspect, sentence } from '@culprit/core';
import type { Cited } from './citing.js';

/** Lines on either side of the crashed one that count as beside it. */
const BESIDE = 3;

/** Which change is behind the crash, what it did to the crashed line, and who wrote that line where it was another. */
export function changeClaims(request: ExplainRequest, cite: Cited): readonly Claim[] {
  const first = request.suspects[0];
  const commit = first && cite.line(`commit:${first.sha}`, 0);
  if (!first || !commit) return [];
  const sha = first.sha.slice(0, 7);
  const said = {
    auto: sentence`The very likely cause is commit ${sha}: ${commit.quote}.`,
    likely: sentence`The likely cause is commit ${sha}: ${commit.quote}.`,
    recent: sentence`No commit stands out; the first in the list is ${sha}: ${commit.quote}.`,
  }[first.verdict];
  const did = effectOf(first, cite) ?? reasonOf(first);
  const main = { text: `${said}${did.text}`, cites: [commit, ...did.cites] };
  return [main, ...ownerOfLine(request, cite), ...shared(request, cite)];
}

type Effect = Claim;

const ADDED = ' It added the crashed line.';

/** What the change did at the crashed line or beside it. */
function effectOf({ sha, hunk }: Suspect, cite: Cited): Effect | null {
  const at = hunk?.lines.findIndex(({ crashed }) => crashed) ?? -1;
  const line = hunk?.lines[at];
  if (!hunk || !line) return null;
  return line.kind === 'added' ? wrote(hunk.lines, at, sha, cite) : besideIt(hunk.lines, at, sha, cite);
}

/** The crashed line in the suspect's diff, and what stood there before. */
function wrote(lines: readonly HunkLine[], at: number, sha: string, cite: Cited): Effect | null {
  const now = cite.text(`hunk:${sha}`, lines[at]?.text ?? '');
  if (!now) return null;
  const replaced = replacedBy(lines, at);
  const before = replaced === null ? null : cite.text(`hunk:${sha}`, replaced);
  if (!before) return { text: ADDED, cites: [now] };
  const text = sentence` It wrote the crashed line; before, that was ${before.quote}.`;
  return { text, cites: [now, before] };
}

/** The removed line that stood where an added one stands: of its block the one that shares most words with it, if any does. */
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

/** The nearest change to the crashed line, which the commit left as it was. */
function besideIt(lines: readonly HunkLine[], at: number, sha: string, cite: Cited): Effect | null {
  const near = [...lines.entries()]
    .filter(
      ([index, { kind, text }]) => kind !== 'context' && text.trim() !== '' && Math.abs(index - at) <= BESIDE,
    )
    .sort(
      ([a, one], [b, other]) =>
        Math.abs(a - at) - Math.abs(b - at) || (one.kind === 'added' ? -1 : other.kind === 'added' ? 1 : 0),
    );
  const [index, line] = near[0] ?? [];
  if (index === undefined || line === undefined) return null;
  const changed = cite.text(`hunk:${sha}`, line.text);
  if (!changed) return null;
  if (line.kind === 'removed') {
    return { text: sentence` Beside the crashed line it removed ${changed.quote}.`, cites: [changed] };
  }
  const replaced = replacedBy(lines, index);
  const before = replaced === null ? null : cite.text(`hunk:${sha}`, replaced);
  if (!before)
    return { text: sentence` Beside the crashed line it added ${changed.quote}.`, cites: [changed] };
  const text = sentence` Beside the crashed line it changed ${before.quote} to ${changed.quote}.`;
  return { text, cites: [before, changed] };
}

/** The ranking's first reason, where the diff shows nothing of the crashed line. */
function reasonOf({ reasons }: Suspect): Effect {
  const [reason] = reasons;
  return { text: reason && 'role' in reason ? ` It ${reason.text}.` : '', cites: [] };
}

/** Where the first suspect did not write the crashed line, the one that did. */
function ownerOfLine({ suspects }: ExplainRequest, cite: Cited): readonly Claim[] {
  const owner = suspects.findIndex(
    ({ reasons: [reason] }) => reason?.code === 'last_changed_line' && reason.role === 'crashed',
  );
  const suspect = suspects[owner];
  const commit = suspect && owner > 0 ? cite.line(`commit:${suspect.sha}`, 0) : null;
  if (!suspect || !commit) return [];
  const said = sentence`The crashed line itself came with commit ${suspect.sha.slice(0, 7)}: ${commit.quote}.`;
  const did = effectOf(suspect, cite);
  if (did === null || did.text === ADDED) return [{ text: said, cites: [commit] }];
  return [{ text: `${said}${did.text}`, cites: [commit, ...did.cites] }];
}

/** A name that stands both in the error and in what the change did elsewhere than on the crashed line. */
function shared({ suspects }: ExplainRequest, cite: Cited): readonly Claim[] {
  const [first] = suspects;
  const { thrown } = cite;
  if (!first?.hunk || !thrown) return [];
  const names = [...thrown.text.matchAll(/['"`]([A-Za-z_$][\w$.]{1,60})['"`]/g)].flatMap(
    ([, name]) => name ?? [],
  );
  const changed = first.hunk.lines.filter(({ kind }) => kind !== 'context');
  for (const name of names) {
    const word = new RegExp(`(?<![\\w$])${name.replace(/[.$]/g, '\\$&')}(?![\\w$])`);
    const lines = changed.filter(({ text }) => word.test(text));
    const line = lines.some(({ crashed }) => crashed) ? undefined : lines[0];
    const inError = cite.around(thrown.id, name);
    const inDiff = line && cite.text(`hunk:${first.sha}`, line.text);
    if (inError && inDiff) {
      const text = sentence`The error names ${name}, and the change touches it.`;
      return [{ text, cites: [inError, inDiff] }];
    }
  }
  return [];
}
