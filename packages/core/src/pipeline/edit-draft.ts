import { canonicalDraft, DRAFT_LIMITS, type Draft, type DraftEdit } from '../domain/draft.js';
import { CulpritError } from '../errors/error.js';
import { quotedTrailers } from './draft/trailer.js';
import { sha256Hex } from './hash.js';
import type { Sanitiser } from './sanitise/index.js';

const BODY_CHARS = DRAFT_LIMITS.bodyChars - DRAFT_LIMITS.trailerChars;

/** A reviewer's version of a draft, checked against the limits of an issue and sanitised once more. */
export function editedDraft(draft: Draft, edit: DraftEdit, by: string, sanitiser: Sanitiser): Draft {
  const title = sanitiser.text(checkText('title', edit.title, DRAFT_LIMITS.titleChars)).value;
  const body = sanitiser.text(checkText('body', edit.body, BODY_CHARS)).value;
  if (/[\r\n]/.test(title)) refuse('title', 'must be one line');
  const known = quotedTrailers(draft.body);
  if (quotedTrailers(body).some((trailer) => !known.includes(trailer))) {
    refuse('body', 'must not contain the trailer of a publication');
  }
  const labels = checkNames('labels', edit.labels, DRAFT_LIMITS.labels, DRAFT_LIMITS.labelChars);
  const assignees = checkNames('assignees', edit.assignees, DRAFT_LIMITS.assignees, 39);
  const { repository, reopens } = draft;
  if (reopens !== undefined) {
    const stays = (path: string) =>
      refuse(path, `must stay: the draft is a comment on issue ${reopens.number}`);
    if (title !== draft.title) stays('title');
    if (labels.length > 0) stays('labels');
    if (assignees.length > 0) stays('assignees');
  }
  const content = { title, body, labels, assignees, repository, ...(reopens && { reopens }) };
  const digest = sha256Hex(canonicalDraft(content));
  return digest === draft.digest ? draft : { ...draft, ...content, digest, edited_by: by };
}

function checkText(path: string, text: unknown, limit: number): string {
  if (typeof text !== 'string' || text.trim() === '') refuse(path, 'must be a non-empty string');
  if (text.length > limit) refuse(path, `may have at most ${limit} characters`);
  return text;
}

function checkNames(path: string, names: unknown, most: number, chars: number): readonly string[] {
  if (!Array.isArray(names)) refuse(path, 'must be a list of strings');
  if (names.length > most) refuse(path, `may have at most ${most} entries`);
  names.forEach((name: unknown, index) => {
    if (typeof name !== 'string' || name.trim() === '' || name.length > chars) {
      refuse(`${path}[${index}]`, `must be a string of 1 to ${chars} characters`);
    }
  });
  return [...new Set(names as string[])];
}

function refuse(path: string, what: string): never {
  throw new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
