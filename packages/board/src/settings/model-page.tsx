import type { ModelStatus } from '@culprit/client';
import { api } from '../api.js';
import { exact } from '../format.js';
import { Button } from '../parts/button.js';
import { Pill } from '../parts/pill.js';
import { useResource } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { announcement } from '../state/session.js';

type Limit = ModelStatus['limits'][number];

interface Look {
  readonly tone: 'green' | 'amber' | 'red' | 'grey';
  readonly words: string;
  /** What that means for explanations. */
  readonly means: string;
}

/** The model that explains: its version, what it keeps to, and what is degraded. */
export function ModelPage() {
  const { found, read } = useResource(() => api.getModel());
  const again = async () => {
    if (await read()) announcement.value = 'Read again.';
  };
  return (
    <>
      <p class="soft">
        Core asks its model three short questions at start, and again when another version of it answers. An
        explanation of the model counts only with quotes from the evidence; the template is the fallback.
      </p>
      {found === null ? (
        <p class="none">Loading…</p>
      ) : found.model === null ? (
        <NoModel />
      ) : (
        <Status status={found.model} again={() => void again()} />
      )}
    </>
  );
}

function NoModel() {
  return (
    <section aria-labelledby="model">
      <h3 id="model">No model is configured</h3>
      <p>
        Explanations are written from the evidence by fixed rules. To use a model, set{' '}
        <code>OLLAMA_MODEL</code>, or <code>OPENAI_MODEL</code> and <code>OPENAI_BASE_URL</code>, and start
        core again.
      </p>
    </section>
  );
}

interface StatusProps {
  readonly status: ModelStatus;
  readonly again: () => void;
}

function Status({ status, again }: StatusProps) {
  const { model, version, explainer, reason, probed_at, limits } = status;
  const { tone, words, means } = lookOf(status);
  return (
    <section aria-labelledby="model">
      <h3 id="model" class="untrusted">
        {visible(model)} <Pill tone={tone}>{words}</Pill>
      </h3>
      <p class="soft untrusted">
        {version === null ? 'Version unknown' : `Version ${visible(version)}`} · connector{' '}
        {visible(explainer)} · {probed_at === null ? 'never probed' : 'probed '}
        {probed_at !== null && <time dateTime={probed_at}>{exact(probed_at)}</time>}
      </p>
      <p>{means}</p>
      {reason !== null && <Text as="p" of={reason} class="callout" data-tone={tone} />}
      {limits.length > 0 && (
        <ul class="model-limits">
          {limits.map((limit, index) => (
            <LimitRow key={index} limit={limit} />
          ))}
        </ul>
      )}
      <p class="actions">
        <Button small onClick={again}>
          Read again
        </Button>
      </p>
    </section>
  );
}

function LimitRow({ limit: { holds, detail } }: { readonly limit: Limit }) {
  const tone = holds === null ? 'grey' : holds ? 'green' : 'amber';
  return (
    <li>
      <Pill tone={tone}>{holds === null ? 'unknown' : holds ? 'holds' : 'degraded'}</Pill>
      <span class="untrusted">{sentence(visible(detail))}</span>
    </li>
  );
}

function sentence(part: string): string {
  return `${part.charAt(0).toUpperCase()}${part.slice(1)}.`;
}

function lookOf({ state, limits }: ModelStatus): Look {
  switch (state) {
    case 'usable':
      return limits.some(({ holds }) => holds === false)
        ? { tone: 'amber', words: 'degraded', means: 'It explains runs. Some things work less well.' }
        : { tone: 'green', words: 'works', means: 'It explains runs.' };
    case 'unusable':
      return {
        tone: 'red',
        words: 'not usable',
        means: 'It gives no usable answer, so explanations come from the template. Choose another model.',
      };
    case 'unreachable':
      return {
        tone: 'red',
        words: 'not reachable',
        means:
          'The latest probe failed and is repeated. Until it succeeds, explanations may come from the template.',
      };
    case 'probing':
      return { tone: 'grey', words: 'being probed', means: 'There is no result yet.' };
    case 'not_probed':
      return { tone: 'grey', words: 'not probed', means: 'This core does not probe its model at start.' };
  }
}
