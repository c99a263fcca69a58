import { silentLogger } from '@culprit/core/connector';
import { explainerContract } from '@culprit/core/testing';
import { connector } from './index.js';

export const suite = explainerContract;
export const make = async () => {
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  const { explainer } = await connector({}).setup(context);
  if (!explainer) throw new Error('setup returned no explainer');
  return { explainer };
};
