import type { Connector } from '@culprit/core';
import type { Config } from '../config/config.js';
import type { Documents } from '../core/routes/documents.js';
import { type LoadedConnector, withExternal } from './external-connectors.js';
import { composeGithub } from './github-core.js';
import { composeLocal } from './local-core.js';
import { composeNotifiers } from './notifiers.js';

export interface CoreParts {
  /** `publicUrl` stands in links of issues. */
  readonly connectors: (publicUrl: string) => readonly Connector[];
  readonly documents: Documents;
}

/**
 * What core is made of: storage, code host, publisher, explainers and notifiers that the configuration asks for.
 * `tryWriting`: their checks may try rights that only a write tells.
 */
export function composeCore(
  config: Config,
  own: readonly LoadedConnector[] = [],
  tryWriting = false,
): CoreParts {
  const notifiers = composeNotifiers(config);
  const codeHost = own.some(({ ports }) => ports?.includes('codeHost'));
  const { connectors, documents } =
    config.github.token === null
      ? composeLocal(config, codeHost)
      : composeGithub(config, config.github.token, tryWriting);
  return {
    connectors: (publicUrl) => withExternal([...connectors(publicUrl), ...notifiers(publicUrl)], own),
    documents,
  };
}
