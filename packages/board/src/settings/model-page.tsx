import type { Answer, ModelStatus } from '@culprit/client';
import { api } from '../api.js';
import { capital, exact } from '../format.js';
import { Button } from '../parts/button.js';
import { Section } from '../parts/page.js';
import { Pill } from '../parts/pill.js';
import { List, Missing } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { type Resource, useResource } from '../parts/use-resource.js';
import { announcement } from '../state/session.js';

interface Look {
  readonly tone: 'green' | 'amber' | 'red' | 'grey';
  readonly words: string;
  /** What that means for explanations. */
  readonly means: string;
}

/** The model that explains: its version, what it keeps to, and what is degraded. */
export function Page() {
  const resource = useResource(() => api.getModel());
  const { found } = resource;
  return (
    <>
      <p class="soft">
        Core asks its model three short questions at start, and again when another version of it answers. An
        explanation by the model is used only if it quotes the evidence; the template is the fallback.
      </p>
      {found === null && <Missing {...resource} />}
      {found?.model === null && (
        <Section title="No model is configured">
          <p>
            Explanations are written from the evidence by fixed rules. To use a model, set{' '}
            <code>OLLAMA_MODEL</code>, or <code>OPENAI_MODEL</code> and <code>OPENAI_BASE_URL</code>, and
            start core again.
          </p>
        </Section>
      )}
      {found?.model && <Status status={found.model} fit={found.fit} resource={resource} />}
    </>
  );
}

interface StatusProps {
  readonly status: ModelStatus;
  readonly fit: Answer<'getModel'>['fit'];
  readonly resource: Resource<unknown>;
}

function Status({ status, fit, resource }: StatusProps) {
  const { model, version, explainer, reason, probed_at, limits } = status;
  const { tone, words, means } = lookOf(status);
  const again = async () => {
    if (await resource.read()) announcement.value = 'Read again.';
  };
  return (
    <Section title={visible(model)} count={<Pill tone={tone}>{words}</Pill>}>
      <p class="soft untrusted">
        {version === null ? 'Version unknown' : `Version ${visible(version)}`} · connector{' '}
        {visible(explainer)} · {probed_at === null ? 'never probed' : 'probed '}
        {probed_at !== null && <time dateTime={probed_at}>{exact(probed_at)}</time>}
      </p>
      <p>{means}</p>
      <p>
        {fit === null
          ? 'Its findings: not measured.'
          : `Its findings: measured on ${fit.cases} of your cases, ${fit.measured_at.slice(0, 10)}.`}
      </p>
      {reason !== null && <Text as="p" of={reason} class="callout" data-tone={tone} />}
      <List
        title="What it keeps to"
        rows={limits.map(({ holds, detail }, index) => ({
          key: String(index),
          name: sentence(detail),
          title: (
            <Pill tone={holds === null ? 'grey' : holds ? 'green' : 'amber'}>
              {holds === null ? 'unknown' : holds ? 'holds' : 'degraded'}
            </Pill>
          ),
          pills: visible(sentence(detail)),
        }))}
      />
      <p class="actions">
        <Button small onClick={() => void again()}>
          Read again
        </Button>
      </p>
    </Section>
  );
}

const sentence = (part: string) => `${capital(part)}.`;

function lookOf({ state, limits }: ModelStatus): Look {
  const isDegraded = state === 'usable' && limits.some(({ holds }) => holds === false);
  return isDegraded ? DEGRADED : LOOKS[state];
}

const DEGRADED: Look = {
  tone: 'amber',
  words: 'degraded',
  means: 'It writes explanations, with the limitations below.',
};
const LOOKS: Readonly<Record<ModelStatus['state'], Look>> = {
  usable: { tone: 'green', words: 'works', means: 'It writes explanations.' },
  unusable: {
    tone: 'red',
    words: 'not usable',
    means: 'It gives no usable answer, so explanations come from the template. Choose another model.',
  },
  unreachable: {
    tone: 'red',
    words: 'not reachable',
    means:
      'The latest probe failed and is repeated. Until it succeeds, explanations may come from the template.',
  },
  probing: { tone: 'grey', words: 'being probed', means: 'There is no result yet.' },
  not_probed: { tone: 'grey', words: 'not probed', means: 'This core does not probe its model at start.' },
};
