import { setTimeout as pause } from 'node:timers/promises';
import type { Connector } from '@culprit/core';
import type { Explainer } from '@culprit/core/connector';
import type { ModelStatus } from '@culprit/core/internal/domain/model-status';

const STATUS: ModelStatus = {
  explainer: 'openai',
  model: 'qwen3-8b',
  version: 'b6402-1f2e3d4c',
  state: 'usable',
  reason: null,
  probed_at: '2026-11-20T14:04:51.000Z',
  limits: [
    { name: 'schema', holds: true, detail: 'the answer’s schema is enforced' },
    {
      name: 'thoughts',
      holds: false,
      detail:
        'the model thinks although it is asked not to, and its thoughts use up the tokens of the answer',
    },
    { name: 'length', holds: true, detail: 'the token limit is respected' },
  ],
};

/** The connectors with a model before the template. It makes two claims with a citation each, and two without one. */
export function withModel(real: readonly Connector[], answersInMs = 0): readonly Connector[] {
  const explainer: Explainer = {
    name: 'openai',
    promptVersion: 'v1',
    status: () => STATUS,
    async explain({ evidence }, signal) {
      await pause(answersInMs, undefined, { signal });
      const lines = evidence.flatMap(({ id, text }) => {
        const quote = text.split('\n').find((line) => line.trim() !== '');
        return quote === undefined ? [] : [{ evidence: id, quote: quote.slice(0, 80) }];
      });
      const [first, second] = [lines.slice(0, 1), lines.slice(1, 3)];
      const claims = [
        { text: 'A value is read before it is known to be there.', cites: first },
        {
          text: 'The change replaced a check with a direct access, so a missing value now crashes.',
          cites: second,
        },
        {
          text: 'The server was restarted shortly before.',
          cites: [{ evidence: 'frame:99', quote: 'restarted' }],
        },
        { text: 'It happens only with vouchers of one campaign.', cites: [] },
      ];
      return { source: 'model', model: STATUS.model, claims, insufficient: false, note: null };
    },
  };
  const model: Connector = { id: 'openai', setup: () => ({ explainer }) };
  return real.flatMap((connector) => (connector.id === 'template' ? [model, connector] : [connector]));
}
