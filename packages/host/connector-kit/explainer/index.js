// @ts-check
import { defineConnector } from '@culprit/core/connector';
import * as v from 'valibot';

/** Where the host runs this connector: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Explains the crash. Replace `ask` with one request to your model, with `fetch` and `signal`. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({ model: v.optional(v.string(), 'echo') }),
  setup: ({ model }) => ({
    explainer: {
      name: 'NAME',
      // Reject with explainer_failed if there is no answer: the engine continues with the next explainer.
      explain: async ({ evidence }) => {
        const claims = ask(evidence);
        return { source: 'model', model, claims, insufficient: claims.length === 0, note: null };
      },
    },
  }),
});

/**
 * Every claim cites evidence with a verbatim quote of at most 80 characters. Claims whose quote is not found are deleted.
 * @param {readonly import('@culprit/core/connector').EvidenceItem[]} evidence
 * @returns {readonly import('@culprit/core/connector').Claim[]}
 */
function ask(evidence) {
  const exception = evidence.find(({ id }) => id.startsWith('exception:'));
  const quote = exception?.text.slice(0, 80) ?? '';
  if (exception === undefined || quote === '') return [];
  return [{ text: 'The program ended with this exception.', cites: [{ evidence: exception.id, quote }] }];
}
