import { silentLogger } from '@culprit/core/connector';
import { publisherContract } from '@culprit/core/testing';
import { connector } from './index.js';

export const suite = publisherContract;
/** A publisher and a repository without issues. */
export const make = async () => {
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  const { publisher } = await connector({ url: 'https://issues.example.com' }).setup(context);
  if (!publisher) throw new Error('setup returned no publisher');
  return { publisher, repository: 'team/shop' };
};
