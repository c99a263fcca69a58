import { type Claim, type Explainer, type ExplainRequest, type Suspect, sentence } from '@culprit/core';
import { type Cited, citing } from './citing.js';

/**
 * Says what the evidence shows and no more: where it failed, which change is behind the line, what the two share. Its words
 * are core's `PHRASES`; everything quoted stands in code spans.
 */
export const templateExplainer: Explainer = {
  name: 'template',
  explain: async (request) => {
    const cite = citing(request.evidence);
    const claims = [
      failure(request, cite),
      ...change(request, cite),
      shared(request, cite),
      doubt(request, cite),
      reach(request, cite),
    ].flatMap((claim) => claim ?? []);
    const telling = claims.length > 0 && (cite.frames.length > 0 || request.suspects.length > 0);
    return {
      source: 'template',
      model: null,
      claims: telling ? claims : [],
      insufficient: !telling,
      note: null,
    };
  },
};

function failure({ evidence }: ExplainRequest, cite: Cited): Claim | null {
  const thrown = evidence.findLast(({ id }) => id.startsWith('exception:'));
  const frame = cite.frames[0];
  const what = thrown && cite.line(thrown.id, 0);
  const where = frame && cite.line(frame.id, 0);
  const source = frame && cite.line(frame.id, 1);
  const cites = [what, where, source].flatMap((citation) => citation ?? []);
  if (cites.length === 0) return null;
  const subject = what ? raised(what.quote) : 'The crash happened';
  return { text: `${subject}${place(where?.quote, source?.quote)}`, cites };
}

/** Names the error by its kind: `TypeError` of `TypeError: …`. */
function raised(error: string): string {
  const kind = /^[\w.$]{1,60}(?=:)/.exec(error)?.[0];
  return kind === undefined ? 'An error was raised' : sentence`${kind} was raised`;
}

function place(where: string | undefined, source: string | undefined): string {
  if (where === undefined) return '; the stack leads to no line of the repository.';
  const [, at = where, name] = /^(.*:\d+) in (.+)$/.exec(where) ?? [];
  const spot = name === undefined ? sentence` at ${at}` : sentence` in ${name}, at ${at}`;
  return source === undefined ? `${spot}.` : spot + sentence`, on the line ${source}.`;
}

function change({ suspects }: ExplainRequest, cite: Cited): readonly Claim[] {
  const first = suspects[0];
  const commit = first && cite.line(`commit:${first.sha}`, 0);
  if (!first || !commit) return [];
  const sha = first.sha.slice(0, 7);
  const said = {
    auto: sentence`The very likely cause is commit ${sha}: ${commit.quote}.`,
    likely: sentence`The likely cause is commit ${sha}: ${commit.quote}.`,
    recent: sentence`No commit stands out; the first in the list is ${sha}: ${commit.quote}.`,
  }[first.verdict];
  const why = /^(?:owns line|wrote code) /.test(first.reasons[0] ?? '') ? ` It ${first.reasons[0]}.` : '';
  return [{ text: `${said}${why}`, cites: [commit] }, ...rewritten(first, cite)];
}

/** The crashed line in the suspect's diff, and what stood there before. */
function rewritten({ sha, hunk }: Suspect, cite: Cited): readonly Claim[] {
  const at = hunk?.lines.findIndex(({ crashed }) => crashed) ?? -1;
  const line = hunk?.lines[at];
  if (!hunk || line?.kind !== 'added') return [];
  const now = cite.text(`hunk:${sha}`, line.text);
  if (!now) return [];
  let first = at;
  while (hunk.lines[first - 1]?.kind === 'added') first--;
  const removed: string[] = [];
  for (let above = first - 1; hunk.lines[above]?.kind === 'removed'; above--) {
    removed.unshift(hunk.lines[above]?.text ?? '');
  }
  const replaced = removed[Math.min(at - first, removed.length - 1)];
  const before = replaced === undefined ? null : cite.text(`hunk:${sha}`, replaced);
  if (!before) return [{ text: 'That commit added the line that crashed.', cites: [now] }];
  const text = sentence`That commit wrote the line that crashed. Before, the line was ${before.quote}.`;
  return [{ text, cites: [now, before] }];
}

/** A name that stands both in the error and in the change. */
function shared({ suspects, evidence }: ExplainRequest, cite: Cited): Claim | null {
  const first = suspects[0];
  const thrown = evidence.findLast(({ id }) => id.startsWith('exception:'));
  if (!first?.hunk || !thrown) return null;
  const names = [...thrown.text.matchAll(/['"`]([A-Za-z_$][\w$.]{1,60})['"`]/g)].flatMap(
    ([, name]) => name ?? [],
  );
  for (const name of names) {
    const word = new RegExp(`(?<![\\w$])${name.replace(/[.$]/g, '\\$&')}(?![\\w$])`);
    const changed = first.hunk.lines.filter(({ kind }) => kind !== 'context');
    const line =
      changed.find(({ text, crashed }) => crashed && word.test(text)) ??
      changed.find(({ text }) => word.test(text));
    const inError = cite.around(thrown.id, name);
    const inDiff = line && cite.text(`hunk:${first.sha}`, line.text);
    if (inError && inDiff) {
      return {
        text: sentence`The error names ${name}, and the change touches it.`,
        cites: [inError, inDiff],
      };
    }
  }
  return null;
}

/** What the error itself says is usually wrong, where it is one of the well-known kinds. */
function doubt({ evidence }: ExplainRequest, cite: Cited): Claim | null {
  const thrown = evidence.findLast(({ id }) => id.startsWith('exception:'));
  if (!thrown) return null;
  for (const { pattern, means } of KNOWN_ERRORS) {
    const found = pattern.exec(thrown.text.slice(0, 500));
    const citation = found && cite.text(thrown.id, found[0]);
    if (citation) return { text: means, cites: [citation] };
  }
  return null;
}

const KNOWN_ERRORS = [
  {
    pattern: /Cannot (?:read|set) propert(?:y|ies) .{0,40}?of (?:undefined|null)/,
    means: 'A value that the code takes for an object was missing when the line ran.',
  },
  { pattern: /\w{1,60} is not a function/, means: 'What is called there was no function when the line ran.' },
  { pattern: /\w{1,60} is not defined/, means: 'A name is used that nothing defines where the line ran.' },
  { pattern: /'?NoneType'? object/, means: 'A value was None where the code needs an object.' },
  { pattern: /KeyError/, means: 'A key was looked up that the mapping did not hold.' },
  {
    pattern: /NullPointerException|nil pointer dereference|undefined method .{1,60} for nil/,
    means: 'A reference was null where the code needs an object.',
  },
  {
    pattern: /index out of range|IndexOutOfBounds|IndexError/,
    means: 'An index lay outside of what it points into.',
  },
  {
    pattern: /ECONNREFUSED|ETIMEDOUT|ENOTFOUND/,
    means: 'Another service did not answer; the code is perhaps not at fault.',
  },
] as const;

function reach({ occurrences }: ExplainRequest, cite: Cited): Claim | null {
  const seen = cite.line('run', 0);
  if (!seen || occurrences < 2) return null;
  return { text: sentence`It is no single case: it was counted ${occurrences} times.`, cites: [seen] };
}
