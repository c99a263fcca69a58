import type { Explanation } from '../../domain/explanation.js';
import { codeSpan } from './safe-markdown.js';

export interface TrailerParts {
  readonly run_id: string;
  readonly digest: string;
  readonly marker: string;
  /** Seal of the run's history as it was before Gate 2. */
  readonly audit?: string | undefined;
  readonly explanation: Explanation['source'];
  readonly model: string | null;
  /** True: a reviewer changed the machine's draft. */
  readonly edited: boolean;
}

/** What follows the signed body in a published issue: how it was made, and the marker that names this publication. */
export function trailerOf(parts: TrailerParts): string {
  const { run_id, digest, marker, audit, model } = parts;
  const explained =
    parts.explanation === 'model'
      ? `explanation by the model ${codeSpan(model ?? 'unknown', 80)}`
      : 'explanation from evidence alone, no model';
  const facts = [
    `Culprit run ${codeSpan(run_id, 80)}`,
    `${parts.edited ? 'edited and ' : ''}signed by a reviewer`,
    explained,
    `digest ${codeSpan(digest, 64)}`,
  ];
  const comment = `culprit:v1 run=${word(run_id)} digest=${word(digest)} marker=${word(marker)}${audit === undefined ? '' : ` audit=${word(audit)}`}`;
  return `\n\n---\n<sub>${facts.join(' · ')}</sub>\n<!-- ${comment} -->\n`;
}

/** The issue's body as it is sent: what was signed, byte for byte, and the trailer. */
export function publishedBody(body: string, trailer: string): string {
  return body + trailer;
}

/** Nothing that could end the comment. */
function word(text: string): string {
  return text.replace(/[^\w.:]/g, '_').slice(0, 128);
}
