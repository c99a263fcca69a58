import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@culprit/core/connector';
import { codeHostContract, sampleHistory } from '@culprit/core/testing';
import { connector } from './index.js';
import { makeRepository } from './make-repository.js';

const directory = mkdtempSync(join(tmpdir(), 'NAME-'));
makeRepository(join(directory, 'shop'), sampleHistory);

export const suite = codeHostContract;
/** A repository with exactly the sample history: push it to your code host once, or serve it from a double. */
export const make = async () => {
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  const { codeHost } = await connector({}).setup(context);
  if (!codeHost) throw new Error('setup returned no codeHost');
  return {
    codeHost,
    repository: join(directory, 'shop'),
    unknownRepository: join(directory, 'nowhere'),
    history: sampleHistory,
  };
};
