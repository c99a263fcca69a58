import { createReadStream } from 'node:fs';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';

/** Bytes of the end of a log. A crash is what the program printed last. */
const LOG_BYTES = 4 * 1024 * 1024;
/** A JUnit report is read whole. */
const REPORT_BYTES = 64 * 1024 * 1024;
const XML = /^\uFEFF?\s*<(?:\?xml|testsuites?\b)/;

export interface ReportText {
  readonly kind: 'junit' | 'log';
  readonly text: string;
}

/** A report, or the end of a log of any size; `-` reads standard input. */
export async function readReport(file: string): Promise<ReportText> {
  const source = file === '-' ? process.stdin : createReadStream(file);
  let kind: ReportText['kind'] | null = null;
  let kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      kept.push(chunk);
      bytes += chunk.length;
      if (kind === null && bytes >= 4_096) kind = kindOf(kept);
      if (kind === 'junit' && bytes > REPORT_BYTES)
        throw usageError(`${file} is larger than ${REPORT_BYTES} bytes. Report fewer test suites at once.`);
      if (kind === 'log' && bytes > 2 * LOG_BYTES) {
        kept = [Buffer.concat(kept).subarray(-LOG_BYTES)];
        bytes = LOG_BYTES;
      }
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new CommandFailure(`There is no file ${file}.`, EXIT.notFound);
    if (code === 'EISDIR') throw usageError(`${file} is a folder. Name a JUnit report or a log.`);
    throw error;
  }
  return { kind: kind ?? kindOf(kept), text: Buffer.concat(kept).toString('utf8') };
}

function kindOf(chunks: readonly Buffer[]): ReportText['kind'] {
  return XML.test(Buffer.concat(chunks).subarray(0, 4_096).toString('utf8')) ? 'junit' : 'log';
}
