import type { Explanation } from '../../domain/explanation.js';
import { partsOfName } from '../../domain/person.js';
import { codeSpan } from './safe-markdown.js';
import { oneLine } from './visible.js';

export interface TrailerParts {
  readonly run_id: string;
  readonly digest: string;
  readonly marker: string;
  /** Seal of the run's history before Gate 2. */
  readonly audit?: string | undefined;
  readonly explanation: Explanation['source'];
  readonly model: string | null;
  /** The reviewer who signed. Absent: the trailer names nobody, as in older versions. */
  readonly signer?: string | undefined;
  /** True if a reviewer edited the machine's draft. */
  readonly edited: boolean;
}

/** Follows the signed body in a published issue: how the draft was made, and the marker of this publication. */
export function trailerOf(parts: TrailerParts): string {
  const { run_id, digest, marker, audit, model, signer, edited } = parts;
  const explained =
    parts.explanation === 'model'
      ? `explanation by the model ${codeSpan(model ?? 'unknown', 80)}`
      : 'explanation from evidence alone, no model';
  const facts = [
    `Culprit run ${codeSpan(run_id, 80)}`,
    signer === undefined
      ? `${edited ? 'edited and ' : ''}signed by a reviewer`
      : `${edited ? 'edited, ' : ''}signed by ${personSpan(signer)}`,
    explained,
    `digest ${codeSpan(digest, 64)}`,
  ];
  const comment = `culprit:v1 run=${word(run_id)} digest=${word(digest)} marker=${word(marker)}${audit === undefined ? '' : ` audit=${word(audit)}`}`;
  return `\n\n---\n<sub>${facts.join(' · ')}</sub>\n<!-- ${comment} -->\n`;
}

const NAME_CHARS = 80;

/**
 * A reviewer's name as issues show it: a code span that mentions nobody, without the domain of a mail address. Of a person who
 * signed in at a provider it keeps the subject, so that nobody can choose the name of another.
 */
export function personSpan(name: string): string {
  const { plain, tag } = partsOfName(name);
  const shown = plain.replace(/^@+/, '').replace(/@.*$/s, '').replace(/[<>]/g, ' ');
  return codeSpan(oneLine(shown, NAME_CHARS - tag.length) + tag, NAME_CHARS);
}

/** The body with another name of the signer in its last trailer; unchanged if that names nobody. */
export function withSigner(body: string, signer: string): string {
  const at = body.lastIndexOf('\n---\n<sub>');
  const named = /( · (?:edited, )?signed by )(`+)[^\n]*?[^`\n]\2(?= · explanation )/;
  if (at === -1) return body;
  return body.slice(0, at) + body.slice(at).replace(named, (_, start: string) => start + personSpan(signer));
}

/** The issue's body as sent: the signed body, byte for byte, and the trailer. */
export function publishedBody(body: string, trailer: string): string {
  return body + trailer;
}

const TRAILER =
  /<!-- culprit:v1 run=([\w.:]{1,128}) digest=[\w.:]{1,128} marker=([\w.:]{1,128})[^<>\n]{0,140} -->/g;

/**
 * True if the body's last trailer has the marker. An earlier one is quoted text. The last trailer need not end the body,
 * because people append to published issues, and an issue that is not recognised is published twice.
 */
export function hasMarker(body: string, marker: string): boolean {
  return namedRun(body)?.marker === word(marker);
}

/** The run and marker that the body's last trailer names; `null` without a trailer. */
export function namedRun(body: string): { readonly run_id: string; readonly marker: string } | null {
  const [, run_id, marker] = [...body.matchAll(TRAILER)].at(-1) ?? [];
  return run_id === undefined || marker === undefined ? null : { run_id, marker };
}

/** The trailers in a text, in any version and spacing. */
export function quotedTrailers(text: string): readonly string[] {
  return text.match(/<!--\s{0,100}culprit:v\d[^>]{0,1000}/gi) ?? [];
}

/** Replaces everything that could end the comment. */
function word(text: string): string {
  return text.replace(/[^\w.:]/g, '_').slice(0, 128);
}
