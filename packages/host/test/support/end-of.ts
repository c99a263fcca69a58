import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ChildEnd {
  /** `null` where a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program ends, and all that it has printed by then. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<ChildEnd> {
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, stdout, stderr };
}
