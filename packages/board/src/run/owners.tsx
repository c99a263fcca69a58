import {
  type CodeOwner,
  OWNERS_PROBLEMS,
  OWNERS_UNREAD,
  type OwnerRule,
  type Ownership,
  ownedFiles,
  ruleName,
} from '@culprit/core/internal/domain/ownership';
import { Copy } from '../parts/copy.js';
import { Part } from '../parts/part.js';
import { Out, Text, visible } from '../parts/text.js';

/** Who owns the crashed file and the suspects' files, and what of the code owners file is ignored. */
export function OwnersSection({ ownership }: { readonly ownership: Ownership | null | undefined }) {
  if (!ownership) return null;
  const { file, problems, unread } = ownership;
  const owned = ownedFiles(ownership);
  if (owned.length === 0 && problems.length === 0 && unread === null) return null;
  return (
    <Part id="owners" title="Owners" note={`by ${file}, nobody is notified`}>
      <ul class="owners stack">
        {owned.map(({ path, rules }) => (
          <li key={path}>
            <Text as="code" of={path} />
            {rules.map((rule) => (
              <Rule key={rule.line} ownership={ownership} rule={rule} />
            ))}
          </li>
        ))}
      </ul>
      {unread !== null && <Text as="p" of={`${file} is not used. ${OWNERS_UNREAD[unread]}`} class="soft" />}
      {problems.length > 0 && (
        <details>
          <summary>
            {problems.length} {problems.length === 1 ? 'line' : 'lines'} of this file ignored
          </summary>
          <ul class="owners stack">
            {problems.map(({ line, code }) => (
              <li key={`${line} ${code}`}>
                Line {line}: {OWNERS_PROBLEMS[code]}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Part>
  );
}

/** Addresses are redacted before they are stored. */
function Owner({ owner: { name, kind } }: { readonly owner: CodeOwner }) {
  if (kind === 'email') return <span class="soft">a mail address</span>;
  return (
    <span>
      <Text as="b" of={name} />
      {kind === 'team' && <span class="soft"> (a team)</span>}
      <Copy what={`the owner ${visible(name)}`} text={name} />
    </span>
  );
}

function Rule({ ownership, rule }: { readonly ownership: Ownership; readonly rule: OwnerRule }) {
  const { owners, pattern, url } = rule;
  return (
    <span class="owned">
      {owners.length === 0 ? 'has no owner' : 'is owned by'}{' '}
      {owners.map((owner) => (
        <Owner key={owner.name} owner={owner} />
      ))}{' '}
      <span class="soft" title={`Pattern: ${visible(pattern)}`}>
        <Out to={url}>
          <Text of={ruleName(ownership, rule)} />
        </Out>
      </span>
    </span>
  );
}
