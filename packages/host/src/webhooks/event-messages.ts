import { webhookData } from '@culprit/connectors/webhook';
import type { Engine, HistoryEntry, Run } from '@culprit/core';
import { safeTitle } from '@culprit/core/connector';
import { withoutUnseen } from '@culprit/core/internal/pipeline/draft/visible';
import type { Message, NewRow } from './delivery-store.js';
import { type EventType, eventsOf } from './event-types.js';
import type { Matcher } from './subscription.js';

export interface MessageParts {
  readonly engine: Pick<Engine, 'brief' | 'sanitiser'>;
  readonly boardUrl: string;
}

/** The messages of one history entry, each with the webhooks that want it. */
export async function messagesOfEntry(
  run: Run,
  entry: HistoryEntry,
  matcher: Matcher,
  parts: MessageParts,
): Promise<readonly NewRow[]> {
  const made: NewRow[] = [];
  for (const type of eventsOf(entry)) {
    const wanting = matcher.wanting(type, run, entry.at);
    if (wanting.length === 0) continue;
    const target = { failures: 0, at: Date.parse(entry.at) };
    const targets = Object.fromEntries(wanting.map(({ id }) => [id, target]));
    made.push({ message: await messageOf(type, run, entry, parts), targets });
  }
  return made;
}

async function messageOf(
  type: EventType,
  run: Run,
  entry: HistoryEntry,
  { engine, boardUrl }: MessageParts,
): Promise<Message> {
  const { sequence, name, by, from, to, error, at } = entry;
  const {
    story: _story,
    owners,
    suspects,
    issue_change: _change,
    woken: _woken,
    comebacks: _back,
    ...about
  } = webhookData(run, boardUrl);
  const data = {
    ...about,
    owners,
    title: safeTitle(about.title),
    suspects: suspects.map((suspect) => ({ ...suspect, title: safeTitle(suspect.title, 'Change') })),
    change: { sequence, name, by, from, to, error },
    ...(type === 'run.commented' ? { comment: String(entry.detail.comment ?? '') } : {}),
    ...(type === 'run.handed_off'
      ? {
          hand_off: {
            digest: entry.digest,
            issue_url: run.publication?.issue_url ?? '',
            brief: await engine.brief(run.run_id),
          },
        }
      : {}),
  };
  const id = `${run.run_id}_${sequence}_${type}`.replace(/[^\w-]/g, '_');
  return { id, type, timestamp: at, data: harmless(data, (text) => engine.sanitiser.text(text).value) };
}

/** Every text sanitised by the installation's rules, without invisible characters. */
function harmless(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return withoutUnseen(clean(value));
  if (Array.isArray(value)) return value.map((item) => harmless(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, harmless(member, clean)]));
}
