import * as v from 'valibot';
import { openaiClient } from '../../packages/connectors/dist/openai/client.js';
import { openaiConfig } from '../../packages/connectors/dist/openai/config.js';
import { modelParts } from '../../packages/connectors/dist/shared/model/parts.js';
import { deskFetch } from './desk.mjs';

const URL = 'http://desk.invalid/v1';
/** The connector allows ten minutes; whoever sits at the desk needs longer. */
const CALL_MS = 24 * 60 * 60_000;

/** The investigator of the `openai` connector, without its explainer, with the desk as its server. */
export function deskModel(desk, id) {
  return {
    id: 'openai',
    setup(context) {
      const config = {
        ...v.parse(openaiConfig, { model: 'desk', url: URL, probeAtStart: true }),
        timeoutMs: CALL_MS,
      };
      const client = openaiClient(config, deskFetch(desk, id));
      const checked = { name: 'openai', client, server: URL, listedAs: 'desk', fetchIt: '', setting: '' };
      const { investigator } = modelParts(checked, config, context);
      return { investigator };
    },
  };
}
