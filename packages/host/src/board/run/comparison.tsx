import { ApiError, type ExplanationComparison } from '@culprit/client';
import type { PlacedStack, Run } from '@culprit/core/model';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { plural } from '../format.js';
import { Modal } from '../parts/dialog.js';
import { Ticked, visible } from '../parts/text.js';
import { model } from '../state/model.js';
import { report } from '../state/session.js';
import { comparing } from './compare.js';
import { evidenceWords } from './evidence-words.js';

type Told = ExplanationComparison['model'];
type Result = { readonly both: ExplanationComparison } | { readonly failed: string } | 'asking';

interface ComparisonProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

/** What the template and the model say about one run, both derived now. Closing the dialog gives up. */
export function Comparison({ run, stack }: ComparisonProps) {
  const result = useSignal<Result>('asking');
  const asking = useRef(new AbortController());
  const close = () => {
    comparing.value = null;
  };
  const compare = async () => {
    const mine = new AbortController();
    asking.current = mine;
    result.value = 'asking';
    try {
      result.value = { both: await api.with({ signal: mine.signal }).compareExplanations(run.run_id) };
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error instanceof ApiError && error.status === 401) {
        close();
        report(error);
      } else result.value = { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  useEffect(() => {
    void compare();
    return () => {
      asking.current.abort();
      comparing.value = null;
    };
  }, [run.run_id]);
  const busy = result.value === 'asking';
  const both = result.value !== 'asking' && 'both' in result.value ? result.value.both : null;
  return (
    <Modal label="Compare with the model" closed={close} focus="button">
      <div class="sheet wide">
        <h2>Compare with the model</h2>
        <p class="soft">
          The template and the model explain the same evidence again, now. The run stays as it is.{' '}
          <a href="#/settings/model">About the model</a>
        </p>
        <div role="status" aria-busy={busy}>
          <Outcome result={result.value} />
        </div>
        {both !== null && (
          <div class="compared">
            <Side told={both.template} byModel={false} run={run} stack={stack} />
            <Side told={both.model} byModel run={run} stack={stack} />
          </div>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={close}>
            Close
          </button>
          <button type="button" class="button" disabled={busy} onClick={() => void compare()}>
            Ask again
          </button>
        </div>
      </div>
    </Modal>
  );
}

function Outcome({ result }: { readonly result: Result }) {
  if (result === 'asking') {
    const name = visible(model.value?.model ?? 'the model');
    return (
      <>
        <p class="soft untrusted">Asking {name}. It may take a minute…</p>
        <progress class="asking" aria-label={`Asking ${name}`} />
      </>
    );
  }
  if ('failed' in result) {
    return (
      <p class="callout untrusted" data-tone="red">
        Not compared: {visible(result.failed)}
      </p>
    );
  }
  const { by, seconds, claims, refused } = result.both.model;
  return (
    <p class="sr">
      {visible(by)} answered in {seconds} s: {plural(claims.length, 'claim')}, {refused.length} refused.
    </p>
  );
}

interface SideProps extends ComparisonProps {
  readonly told: Told;
  readonly byModel: boolean;
}

function Side({ told, byModel, run, stack }: SideProps) {
  const { by, seconds, claims, refused, failed } = told;
  const id = byModel ? 'compared-model' : 'compared-template';
  return (
    <section aria-labelledby={id}>
      <h3 id={id} class="untrusted">
        {byModel ? visible(by) : 'Template'} <span class="soft num">{seconds} s</span>
      </h3>
      {failed !== null && (
        <div class="callout" data-tone="amber">
          <p>
            <b>{FAILED[failed.code]}</b>
          </p>
          <p class="soft untrusted">{visible(failed.detail)}</p>
        </div>
      )}
      {claims.length > 0 && (
        <ol class="claims">
          {claims.map(({ text, cites }, index) => (
            <li key={index}>
              <p class={byModel ? 'untrusted by-model' : 'untrusted'}>
                {byModel ? visible(text) : <Ticked text={text} />}
              </p>
              <ul class="quotes">
                {cites.map(({ evidence, quote }, at) => (
                  <li key={at} class="untrusted">
                    <span class="soft">{evidenceWords(evidence, run, stack)}</span>{' '}
                    <code>{visible(quote)}</code>
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      )}
      {refused.length > 0 && <Refused refused={refused} />}
    </section>
  );
}

const FAILED: Readonly<Record<NonNullable<Told['failed']>['code'], string>> = {
  insufficient: 'It makes no claim.',
  no_citation: 'Every claim was refused.',
  explainer_failed: 'No usable answer.',
};

/** What an analysis would not show either, and why. */
function Refused({ refused }: Pick<Told, 'refused'>) {
  return (
    <>
      <h4>
        Refused <span class="soft">for want of a citation</span>
      </h4>
      <ul class="refused">
        {refused.map(({ text, why }, index) => (
          <li key={index} class="untrusted">
            <p>{visible(text)}</p>
            <p class="soft">Because {visible(why)}.</p>
          </li>
        ))}
      </ul>
    </>
  );
}
