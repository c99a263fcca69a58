import { ollama } from '@culprit/connectors/ollama';
import { template } from '@culprit/connectors/template';
import type { Connector } from '@culprit/core';
import type { Config } from '../config/config.js';

/** The model first where one is configured; the template answers when it does not, and where there is none. */
export function composeExplainers({ ollama: { host, model } }: Config): readonly Connector[] {
  if (model === null) return [template({})];
  return [ollama({ model, ...(host === null ? {} : { host }) }), template({})];
}

/** For the banner and `doctor`. */
export function modelInWords({ ollama: { host, model } }: Config): string {
  if (model !== null) return `${model} at ${host ?? 'this machine'}; the template answers when it cannot`;
  const how =
    host === null ? 'OLLAMA_MODEL (and OLLAMA_HOST) turn it on' : 'OLLAMA_HOST is set, OLLAMA_MODEL is not';
  return `off, explanations are deterministic: ${how}`;
}
