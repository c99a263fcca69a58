import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

/** Leaves room for the rest of the answer. */
const MAX_BODY_BYTES = 20 * 1024;

/** The text of the draft. Its digest only with the whole text, so that nobody replaces what they have not read. */
export async function getDraft(reads: RunReads, runId: string): Promise<Answer> {
  const { title, body, digest, edited_by } = await reads.getDraft({ run_id: runId });
  const block = untrusted(body, 'block', body.length);
  const whole = Buffer.byteLength(block) <= MAX_BODY_BYTES;
  const by = edited_by === null ? 'Generated, not edited' : `Last edited by ${untrusted(edited_by)}`;
  return {
    heading: `Draft of run ${untrusted(runId)}`,
    blocks: [
      listOf([`Title: ${untrusted(title, 'span', title.length)}`, by]),
      whole ? block : untrusted(body, 'block'),
      whole
        ? `Digest of this text: ${untrusted(digest)}`
        : `The body has ${body.length} characters; the rest is not shown. It is too long to be edited here, so there is no digest. People edit it on the board.`,
    ],
  };
}
