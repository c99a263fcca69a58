import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ChildEnd {
  /** `null` if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program's exit code and all its output. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<ChildEnd> {
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, stdout, stderr };
}
