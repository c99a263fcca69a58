import { createInterface } from 'node:readline/promises';
import { forTerminal, printError, promptOutput } from '../../log/terminal.js';
import { CommandFailure, EXIT } from '../exit-codes.js';

/** Asks a person at a terminal. Ctrl-C and the end of input reject with exit code 130. */
export interface Ask {
  /** `fallback` is the answer to an empty line. */
  text(question: string, fallback: string): Promise<string>;
  /** The same; what is typed is not shown. */
  secret(question: string): Promise<string>;
  close(): void;
}

export function terminalAsk(): Ask {
  const stop = new AbortController();
  let hidden = false;
  const output = promptOutput(() => hidden);
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.once('SIGINT', () => stop.abort());
  lines.once('close', () => stop.abort());
  const ask = async (question: string): Promise<string> => {
    try {
      return (await lines.question(forTerminal(question), { signal: stop.signal })).trim();
    } catch {
      printError('\n');
      throw new CommandFailure('Stopped. Nothing was written.', EXIT.interrupted);
    }
  };
  return {
    async text(question, fallback) {
      const answer = await ask(`${question}${fallback === '' ? '' : ` [${fallback}]`}: `);
      return answer === '' ? fallback : answer;
    },
    async secret(question) {
      printError(`${question} (not shown): `);
      hidden = true;
      try {
        return await ask('');
      } finally {
        hidden = false;
        printError('\n');
      }
    },
    close: () => lines.close(),
  };
}
