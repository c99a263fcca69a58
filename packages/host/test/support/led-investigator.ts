import type { Connector } from '@culprit/core';
import type { Finding } from '@culprit/core/internal/domain/investigation';
import type { Investigator } from '@culprit/core/internal/ports/investigator';

type Step = { readonly name: string; readonly input: unknown } | { readonly finding: Finding | null };

export interface LedInvestigator {
  readonly connector: Connector;
  /** The next questions. Each costs a call of the model. */
  ask(...questions: readonly { readonly name: string; readonly input: unknown }[]): void;
  /** Ends the investigation. */
  conclude(finding: Finding | null): void;
}

/** An investigator that asks and concludes when a test says so. A second round comes to the same finding. */
export function ledInvestigator(): LedInvestigator {
  const steps: Step[] = [];
  let wake = () => {};
  let last: Finding | null = null;
  const next = async (signal: AbortSignal): Promise<Step> => {
    for (;;) {
      signal.throwIfAborted();
      const step = steps.shift();
      if (step !== undefined) return step;
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
  };
  const investigator: Investigator = {
    name: 'openai',
    model: 'qwen3-32b',
    promptVersion: 'v1',
    async investigate(desk, signal) {
      if (desk.round > 0) return last;
      for (;;) {
        const step = await next(signal);
        if ('finding' in step) {
          last = step.finding;
          return last;
        }
        await desk.call({ input: 6_000, output: 600 }, async () => ({ used: { input: 5_210, output: 148 } }));
        await desk.ask(step);
      }
    },
  };
  const add = (...more: readonly Step[]) => {
    steps.push(...more);
    wake();
  };
  return {
    connector: { id: 'led', setup: () => ({ investigator }) },
    ask: add,
    conclude: (finding) => add({ finding }),
  };
}
