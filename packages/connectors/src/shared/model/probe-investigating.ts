import { CulpritError, timeLimit } from '@culprit/core/connector';
import type { Answer } from '@culprit/core/internal/domain/question';
import type { Desk } from '@culprit/core/internal/ports/investigator';
import type { ModelClient } from './client.js';
import { deskModel } from './desk-model.js';
import { investigateLoop } from './investigate-loop.js';

/** Calls of the probe. */
const MAX_CALLS = 5;
const MAX_QUESTIONS = 4;
/** Models with fewer parameters lose their way when they ask their own questions, even if they pass. */
const LEAST_BILLIONS = 30;

const SHA = 'f3a91c07d2b4e8561a0c9d7e2f4b6a8c0d1e3f50';
const CULPRIT = `${SHA}
2026-01-14 Prices come with their currency

src/price.py
@@ -10,3 +10,3 @@ def total(order):
     rate = rates()
-    currency = order.get("currency", "EUR")
+    currency = order["currency"]
     return order["amount"] * rate[currency]`;
const CRASH = `KeyError: 'currency'
  src/price.py:11 in total: currency = order["currency"]
  src/cart.py:40 in checkout: return total(order)`;
const LISTED = `${SHA.slice(0, 12)} 2026-01-14 Prices come with their currency`;
const NOTHING: Answer = { text: '', more: false, problem: 'not_found' };
const answer = (text: string): Answer => ({ text, more: false, problem: null });

/**
 * A made-up investigation of two questions, of which the second needs the answer to the first. A model that does not pass, or not in time,
 * goes fixed steps.
 */
export async function probeInvestigating(
  client: ModelClient,
  ms: number,
  signal: AbortSignal,
): Promise<'loop' | 'steps'> {
  const limit = timeLimit(ms, signal);
  const names: string[] = [];
  let calls = 0;
  const desk: Desk = {
    crash: CRASH,
    ranking: 'No suspects.',
    questions: ['search_history', 'show_commit'],
    left: () => MAX_QUESTIONS - names.length,
    asked: () => [],
    round: 0,
    ask: async ({ name, input }) => {
      names.push(name);
      if (name === 'search_history') return answer(LISTED);
      const { sha } = input as { readonly sha: string };
      return SHA.startsWith(sha) ? answer(CULPRIT) : NOTHING;
    },
    call: async (_, call) => {
      calls += 1;
      if (calls > MAX_CALLS) throw new CulpritError('investigation_limit', 'the probe has no more calls');
      return call(limit);
    },
  };
  try {
    const size = await client.size(limit);
    if (size !== null && size < LEAST_BILLIONS) return 'steps';
    const finding = await investigateLoop(desk, deskModel(desk, client, ms, limit));
    const [found = ''] = finding?.commits ?? [];
    const isSound = SHA.startsWith(found) && CULPRIT.includes(finding?.quote ?? SHA);
    return isSound && names.includes('show_commit') ? 'loop' : 'steps';
  } catch {
    signal.throwIfAborted();
    return 'steps';
  }
}
