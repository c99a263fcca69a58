import type { Proof } from '@culprit/client';
import type { Run } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { exact } from '../format.js';
import { Button } from '../parts/button.js';
import { Check } from '../parts/check.js';
import { Modal } from '../parts/dialog.js';
import { Out, Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { verifying } from './actions.js';

/** What each step of the proof compares. */
const NAMES: Readonly<Record<string, string>> = {
  evidence: 'Evidence',
  edits: 'Edits',
  signature: 'Signature',
  title: 'Title',
  body: 'Body',
  labels: 'Labels',
};
/** The steps about the issue itself; the others are about what was signed. */
const OF_ISSUE: readonly string[] = ['title', 'body', 'labels'];

type Result = { readonly proof: Proof; readonly at: string } | { readonly failed: string } | 'asking';

/** Says whether the issue is still what was signed, and whether that follows from the evidence. */
export function Verification({ run }: { readonly run: Run }) {
  const result = useSignal<Result>('asking');
  const compare = async () => {
    result.value = 'asking';
    try {
      const proof = await api.verifyPublication({ run_id: run.run_id });
      result.value = { proof, at: new Date().toISOString() };
    } catch (error) {
      result.value = { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  useEffect(() => void compare(), [run.run_id]);
  const close = () => {
    verifying.value = null;
  };
  const busy = result.value === 'asking';
  return (
    <Modal label="Compare the issue with its evidence" closed={close} focus="button">
      <div class="sheet narrow">
        <h2>Compare the issue with its evidence</h2>
        <div role="status" class="stack">
          <Outcome run={run} result={result.value} />
        </div>
        <div class="actions">
          <Button onClick={close}>Close</Button>
          <Button disabled={busy} onClick={() => void compare()}>
            Compare again
          </Button>
        </div>
      </div>
    </Modal>
  );
}

function Outcome({ run, result }: { readonly run: Run; readonly result: Result }) {
  if (result === 'asking') return <p class="soft">Comparing with the code host…</p>;
  if ('failed' in result) {
    return <Text as="p" of={`Not compared: ${result.failed}`} class="callout" data-tone="red" />;
  }
  const { proof, at } = result;
  return (
    <>
      <p class="callout" data-tone={proof.verified ? 'green' : 'amber'}>
        <Out to={run.publication?.comment_url ?? proof.issue_url}>
          {run.publication?.comment_url === undefined ? 'Issue' : 'A comment on issue'} #
          {run.publication?.number}
        </Out>{' '}
        <b>{verdict(proof)}</b>
        {proof.edited !== undefined && (
          <span>
            {' '}
            Last edited <When iso={proof.edited.at}>{exact(proof.edited.at)}</When> by{' '}
            <Text of={proof.edited.by ?? 'a deleted account'} />.
          </span>
        )}
      </p>
      <ul class="checks">
        {proof.steps.map(({ name, ok, detail }) => (
          <Check key={name} ok={ok} name={NAMES[name] ?? name}>
            <Text of={detail} />
          </Check>
        ))}
      </ul>
      <p class="soft">
        Compared <When iso={at}>{exact(at)}</When>. Signed digest{' '}
        <code title={proof.signed_digest}>{proof.signed_digest.slice(0, 16)}</code>
      </p>
    </>
  );
}

/** The sentence goes on from the name of the issue. */
function verdict({ verified, steps, erased_at }: Proof): string {
  if (verified)
    return erased_at === undefined ? 'matches its evidence and signature.' : 'matches its signature.';
  const failed = steps.filter(({ ok }) => !ok).map(({ name }) => name);
  const changed = failed.filter((name) => OF_ISSUE.includes(name));
  const words = changed.length === 0 ? [] : [`was changed on the code host: ${changed.join(', ')}.`];
  if (failed.length > changed.length) words.push('does not follow from its evidence and signature.');
  return words.join(' It ');
}
