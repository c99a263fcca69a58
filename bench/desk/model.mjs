import * as v from 'valibot';
import { openaiClient } from '../../packages/connectors/dist/openai/client.js';
import { openaiConfig } from '../../packages/connectors/dist/openai/config.js';
import { modelInvestigator } from '../../packages/connectors/dist/shared/model/investigator.js';
import { deskFetch } from './desk.mjs';

/** The connector allows ten minutes; somebody at the desk needs longer. */
const CALL_MS = 24 * 60 * 60_000;

/** The investigator of the `openai` connector with the desk as its server. It is not probed: it can ask its own questions. */
export function deskModel(desk, id) {
  const config = {
    ...v.parse(openaiConfig, { model: 'desk', url: 'http://desk.invalid/v1' }),
    timeoutMs: CALL_MS,
  };
  const client = openaiClient(config, deskFetch(desk, id));
  const status = () => ({
    ...{ explainer: 'openai', model: 'desk', version: null, state: 'usable', reason: null },
    ...{ investigates: 'loop', probed_at: null, limits: [] },
  });
  const investigator = modelInvestigator({ name: 'openai', client, config, status });
  return { id: 'desk', setup: () => ({ investigator }) };
}
