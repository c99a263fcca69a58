import { ollama } from '@culprit/connectors/ollama';
import { template } from '@culprit/connectors/template';
import type { Connector } from '@culprit/core';
import type { Config } from '../config/config.js';

/** The model if one is configured, then the template, which is also used if the model fails. */
export function composeExplainers(
  { ollamaHost: host, ollamaModel: model, suspectsReader: reader }: Config,
  checking = false,
): readonly Connector[] {
  if (model === null) return [template({})];
  return [
    ollama({ model, reader, tryAnswering: checking, ...(host === null ? {} : { host }) }),
    template({}),
  ];
}

/** One line for the banner and `doctor`. */
export function describeModel({
  ollamaHost: host,
  ollamaModel: model,
  suspectsReader: reader,
}: Config): string {
  const also = reader ? '; it also reads the first suspects' : '';
  if (model !== null) return `${model} at ${host ?? 'this machine'}; the template is the fallback${also}`;
  const how = host === null ? 'Set OLLAMA_MODEL to turn it on.' : 'OLLAMA_HOST is set, OLLAMA_MODEL is not.';
  return `off; explanations are deterministic. ${how}`;
}
