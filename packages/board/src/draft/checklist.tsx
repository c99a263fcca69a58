import type { PlacedStack, Run } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { linkBackText } from '@culprit/core/internal/domain/resolution';
import { draftIsOutdated, trustMix } from '@culprit/core/internal/domain/source';
import { VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { plural, whole } from '../format.js';
import { Check } from '../parts/check.js';
import { Copy } from '../parts/copy.js';
import { Text } from '../parts/text.js';
import { investigatorWords } from '../run/investigator-words.js';
import { usePreview } from './draft-views.js';
import { form } from './editor-state.js';
import { useEffects } from './use-markdown.js';

interface ChecklistProps {
  readonly run: Run;
  readonly draft: Draft;
  readonly stack: PlacedStack | null;
}

/** The checks beside the draft. */
export function Checklist({ run, draft, stack }: ChecklistProps) {
  return (
    <aside class="checklist" aria-label="Checklist">
      <h4>Before you sign</h4>
      <Checks run={run} draft={draft} stack={stack} />
      <Digest digest={draft.digest} />
    </aside>
  );
}

/** What publishing does to the issue that a regression had before. */
function EarlierIssue({ run: { link_back } }: { readonly run: Run }) {
  if (!link_back) return null;
  return (
    <Check ok name="Earlier issue">
      <Text of={linkBackText(link_back)} />
    </Check>
  );
}

/** A path on this machine, which has no issues of its own. */
const LOCAL = /^(?:\/|[A-Za-z]:[\\/])/;

/** Checks that a careful reviewer would make, done automatically. */
export function Checks({ run, draft, stack }: ChecklistProps) {
  const body = form.value?.body ?? draft.body;
  const redactions = (body.match(/\[redacted\]/g) ?? []).length;
  const { suspects } = run;
  const { kind, untrusted } = trustMix(run);
  const divergence = usePreview(run, draft)?.divergence ?? [];
  return (
    <ul class="checks">
      <Check ok name="Repository">
        <Text as="b" of={draft.repository} />
        {LOCAL.test(draft.repository) && ' (the issue goes to the local outbox)'}
      </Check>
      <Effects of={useEffects(body)} />
      <Check ok name="Redactions">
        {whole(run.event.redactions)} in the crash, {whole(redactions)} in this text
      </Check>
      <EarlierIssue run={run} />
      <Check ok={draft.labels.length > 0} name="Labels">
        <Text of={draft.labels.join(', ') || 'none'} />
      </Check>
      <Check ok={divergence.length === 0} name="Assignees">
        <Text of={draft.assignees.join(', ') || 'none'} />
        {divergence.map((change) => (
          <Text as="b" of={` ${change}`} key={change} />
        ))}
      </Check>
      <Check ok={suspects[0] !== undefined && suspects[0].verdict !== 'recent'} name="Suspect">
        {suspects[0] === undefined ? 'none' : VERDICT_WORDS[suspects[0].verdict]}
      </Check>
      <FindingCheck run={run} />
      <Check ok={kind === 'trusted'} name="Untrusted crashes">
        {kind === 'trusted' ? (
          'none'
        ) : (
          <b>
            {kind === 'untrusted'
              ? 'all'
              : untrusted === 0
                ? 'some'
                : `${whole(untrusted)} of ${whole(run.occurrences)}`}{' '}
            came with a public key
          </b>
        )}
      </Check>
      {draftIsOutdated(run) && (
        <Check ok={false} name="Analysed crash">
          <b>untrusted, but a trusted crash has been received since: return the run to Gate 1</b>
        </Check>
      )}
      <GapsCheck run={run} />
      <SourceCheck stack={stack} />
    </ul>
  );
}

/** What the text does on GitHub besides being read. */
function Effects({ of: effects }: { readonly of: ReturnType<typeof useEffects> }) {
  const { mentions = [], references = [], closes = [], images = 0, html = [], links = [] } = effects ?? {};
  const hosts = [...new Set(links.map(hostOf))].sort();
  const none = (name: string, found: readonly string[], words: string) => (
    <Check ok={effects !== null && found.length === 0} name={name}>
      {found.length > 0 ? (
        <Text as="b" of={[...new Set(found)].slice(0, 5).join(', ')} />
      ) : effects === null ? (
        '…'
      ) : (
        words
      )}
    </Check>
  );
  return (
    <>
      {none(
        'Mentions',
        mentions.map((name) => `@${name}`),
        'none, nobody is notified',
      )}
      {none('References', [...closes, ...references], 'none to other issues')}
      {none('Images and markup', [...Array<string>(images).fill('image'), ...html], 'none')}
      <Check ok name="Links">
        {effects === null ? '…' : plural(links.length, 'link')}
        {hosts.length > 0 && <Text of={` to ${hosts.join(', ')}`} class="soft" />}
      </Check>
    </>
  );
}

/** The draft follows a finding: ticked are the checks of core, not what the investigator states. */
function FindingCheck({ run: { suspects, investigation } }: Pick<ChecklistProps, 'run'>) {
  const found = suspects[0]?.found_by;
  if (!found || !investigation) return null;
  const { checks } = investigation;
  const passed = checks.filter(({ ok }) => ok).length;
  return (
    <Check ok={passed === checks.length} name="Finding">
      <Text of={`by ${investigatorWords(found.by)}`} />, {passed} of {checks.length} checks passed; its
      mechanism is only stated
    </Check>
  );
}

function GapsCheck({ run: { revision } }: Pick<ChecklistProps, 'run'>) {
  const gaps = revision?.gaps ?? [];
  if (gaps.length === 0) return null;
  return (
    <Check ok={false} name="Repository shows">
      <b>not everything.</b> <Text of={gaps.map(({ detail }) => detail).join(' ')} />
    </Check>
  );
}

/** Ticked only if a reported line was compared with the repository's. */
function SourceCheck({ stack }: Pick<ChecklistProps, 'stack'>) {
  const frames = stack?.frames ?? [];
  const differing = frames.filter(({ verified }) => verified === false).length;
  const compared = frames.some(({ verified }) => verified === true);
  const why = frames.length === 0 ? 'no frame is in the repository' : 'the crash reports no source lines';
  return (
    <Check ok={differing === 0 && compared} name="Source">
      {differing > 0 && <b>{plural(differing, 'frame')} not matching the crash</b>}
      {differing === 0 && (compared ? 'matches the crash' : `not compared: ${why}`)}
    </Check>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url, location.origin).host;
  } catch {
    return 'invalid URL';
  }
}

function Digest({ digest }: { readonly digest: string }) {
  return (
    <p class="digest">
      <span class="soft">Digest, SHA-256</span>
      <code>{digest}</code>
      <Copy what="the digest" text={digest} label="Copy" />
    </p>
  );
}
