import { createHash } from 'node:crypto';
import { canonicalDraft } from '@culprit/core/internal/domain/draft';
import { ERASED, erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type { RunDetail } from '../run-store/run-parts.js';
import { sameName } from './erase-history.js';

export interface ErasedDetail {
  readonly detail: RunDetail;
  readonly changed: boolean;
  /** Texts that were changed. */
  readonly places: number;
  /** The signed text names the person, and stays. */
  readonly named: boolean;
}

/** An unsigned draft loses the person and gets another digest; a signed one stays. */
export function eraseDetail(detail: RunDetail, person: string, signed: boolean): ErasedDetail {
  const { draft: kept, ...rest } = detail;
  const edited = sameName(kept?.edited_by, person);
  // The editor's name is not part of the signed text.
  const draft = kept !== null && edited ? { ...kept, edited_by: ERASED } : kept;
  const others = erasePerson(rest, person);
  const text = erasePerson(draft, person);
  const places = others.places + Number(edited);
  if (text.places === 0 || signed || text.value === null) {
    const named = text.places > 0 && signed;
    return { detail: { ...others.value, draft }, changed: places > 0, places, named };
  }
  const digest = createHash('sha256').update(canonicalDraft(text.value)).digest('hex');
  return {
    detail: { ...others.value, draft: { ...text.value, digest } },
    changed: true,
    places: places + text.places,
    named: false,
  };
}
