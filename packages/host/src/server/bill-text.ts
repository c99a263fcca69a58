import type { EnginePolicy } from '@culprit/core';
import type { DayBill } from '@culprit/core/internal/gates/investigation-journal';

/** What investigations may cost and, with a bill, cost today. */
export function billText(
  { when, price, cost, costPerDay }: EnginePolicy['investigation'],
  today: DayBill | null,
): string {
  const limits = [
    cost === null ? null : `at most ${cost} for one`,
    costPerDay === null ? null : `at most ${costPerDay} a day`,
  ].filter((part) => part !== null);
  const priced =
    price === null
      ? 'no price is set, so cost is not counted (INVESTIGATE_PRICE)'
      : [`${price.input}/${price.output} per million tokens`, ...limits].join(', ');
  if (today === null) return `${when}: ${priced}`;
  const { investigations, tokens } = today;
  const spent = price === null ? '' : `, cost ${(today.cost ?? 0).toFixed(4)}`;
  return `today (UTC): ${investigations} investigations, ${tokens} tokens${spent}; ${priced}`;
}
