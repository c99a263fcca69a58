import type { Event, Run } from '@culprit/core';
import { EventData } from './event-data.js';
import { OccurrencesSection } from './occurrences.js';

interface EvidenceProps {
  readonly run: Run;
  /** The event that the page shows: the run's, or that of another occurrence. */
  readonly event: Event;
}

/** The occurrences, and what the event reports beside its stack. A chunk of its own. */
export function Evidence({ run, event }: EvidenceProps) {
  return (
    <>
      <OccurrencesSection run={run} />
      <EventData event={event} />
    </>
  );
}
