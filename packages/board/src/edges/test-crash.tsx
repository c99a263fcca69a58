import type { EdgeCommand } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { Button } from '../parts/button.js';
import { visible } from '../parts/text.js';
import { announcement, mayEverywhere, report } from '../state/session.js';

const AGAIN_MS = 1_000;
/** An edge polls every few seconds. */
const MAX_LOOKS = 30;

/** For operators: the edge sends a crash to its own door. What came of it is said beside the button; the run appears by itself. */
export function TestCrash({ edge }: { readonly edge: string }) {
  const said = useSignal('');
  const busy = useSignal(false);
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  if (!mayEverywhere('operate')) return null;
  const tell = (text: string) => {
    said.value = text;
    announcement.value = text;
  };
  const send = async () => {
    busy.value = true;
    tell('Waiting for the edge…');
    try {
      tell(wordsOf(await executed(edge, await api.commandEdge({ edge, kind: 'test' }), () => left.current)));
    } catch (error) {
      said.value = '';
      report(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <p class="actions">
      <Button small disabled={busy.value} onClick={() => void send()}>
        Send a test crash
      </Button>
      <span class="soft untrusted">{said.value}</span>
    </p>
  );
}

/** The command once the edge has executed it; as it is after half a minute. */
async function executed(edge: string, queued: EdgeCommand, over: () => boolean): Promise<EdgeCommand> {
  let command = queued;
  for (let looks = 0; looks < MAX_LOOKS && command.status === 'queued' && !over(); looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    const entry = (await api.listEdges()).edges.find((one) => one.edge === edge);
    command = entry?.commands.find(({ id }) => id === queued.id) ?? command;
  }
  return command;
}

function wordsOf({ status, detail }: EdgeCommand): string {
  if (status === 'done') return 'The edge accepted it. Its run appears in the inbox.';
  if (status === 'queued') return 'The edge has not polled yet. It sends the crash when it does.';
  return `Not sent: ${visible(detail ?? status)}`;
}
