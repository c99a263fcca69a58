import { CulpritError } from '@culprit/core';

export interface BodyLimits {
  readonly bytes: number;
  /** The whole body must arrive within this. */
  readonly ms: number;
}

/** The whole body, refused while it arrives: `too_large`, `timed_out`, or `closed` where the client went away. */
export async function readWholeBody(request: Request, { bytes, ms }: BodyLimits): Promise<Uint8Array> {
  const declared = request.headers.get('content-length') ?? '';
  if (/^\d{1,15}$/.test(declared) && Number(declared) > bytes) throw tooLarge(bytes);
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let received = 0;
  const late = deadline(ms);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.passed]);
      if (done) return Buffer.concat(chunks, received);
      received += value.byteLength;
      if (received > bytes) throw tooLarge(bytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof CulpritError) throw error;
    throw new CulpritError('closed', 'The client went away before the body was complete.', { cause: error });
  } finally {
    late.clear();
  }
}

function deadline(ms: number): { readonly passed: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | null = null;
  const passed = new Promise<never>((_resolve, reject) => {
    const detail = 'The whole request must arrive within the time limit; send it again.';
    timer = setTimeout(() => reject(new CulpritError('timed_out', detail)), ms);
  });
  passed.catch(() => {});
  return { passed, clear: () => timer !== null && clearTimeout(timer) };
}

function tooLarge(limit: number): CulpritError {
  const fix = limit === 0 ? 'Send no body here.' : `Send at most ${limit} bytes.`;
  return new CulpritError('too_large', `The body is over its ceiling. ${fix}`, { members: { limit } });
}
