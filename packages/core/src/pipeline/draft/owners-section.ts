import { type CodeOwner, type OwnerRule, ownedFiles } from '../../domain/ownership.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan, link, safeUrl } from './safe-markdown.js';

/** Files listed: the crashed one, and some of the suspects'. The run has all. */
const MOST_FILES = 4;
const MOST_OWNERS = 6;

/** Who owns the crashed file and the suspects', beside the suspects. In code spans, so that nobody is notified. */
export function ownersSection({ ownership }: DraftSource): readonly Section[] {
  if (!ownership) return [];
  const rows = ownedFiles(ownership)
    .slice(0, MOST_FILES)
    .map(({ path, rules }) => {
      const ruled = rules.map(ruleText).join('; ');
      return `- ${codeSpan(path, 200)} ${ruled}.`;
    });
  if (rows.length === 0) return [];
  return [{ name: 'the owners', expendable: 3, text: `### Owners\n\n${rows.join('\n')}` }];
}

function ruleText({ owners, line, section, url }: OwnerRule): string {
  const place = link(`CODEOWNERS line ${Math.trunc(line)}`, safeUrl(url));
  const where = section === null ? place : `${place}, section ${codeSpan(section, 60)}`;
  if (owners.length === 0) return `has no owner (${where})`;
  const shown = owners.slice(0, MOST_OWNERS).map(ownerText);
  const more = owners.length > MOST_OWNERS ? [`${owners.length - MOST_OWNERS} more`] : [];
  return `is owned by ${[...shown, ...more].join(', ')} (${where})`;
}

/** An issue may have more readers than the code, and keeps what it once said: it has no mail addresses. */
function ownerText({ kind, name }: CodeOwner): string {
  return kind === 'email' ? 'a mail address' : codeSpan(name, 100);
}
