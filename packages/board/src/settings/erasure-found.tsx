import type { Erasure } from '@culprit/client';
import { plural } from '../format.js';
import { visible } from '../parts/text.js';

type Found = Erasure['found'];

const ROWS: readonly (readonly [name: Exclude<keyof Found, 'issues'>, words: string])[] = [
  ['runs', 'Runs'],
  ['events', 'Stored crashes'],
  ['fields', 'Texts in them'],
  ['evidence', 'Evidence of analyses'],
  ['drafts', 'Drafts'],
  ['history', 'Entries of histories'],
  ['values', 'Views, proposals, releases, deliveries'],
  ['tokens', 'Tokens, which end'],
  ['sessions', 'Sessions, which end'],
];

/** What names the person, or did. */
export function ErasureFound({ found }: { readonly found: Found }) {
  return (
    <>
      <dl class="erasure">
        {ROWS.map(([name, words]) => (
          <div key={name}>
            <dt>{words}</dt>
            <dd class="num">{found[name]}</dd>
          </div>
        ))}
      </dl>
      {found.issues.length > 0 && (
        <>
          <p>
            {plural(found.issues.length, 'published issue')} name{found.issues.length === 1 ? 's' : ''} this
            person and stay{found.issues.length === 1 ? 's' : ''} as{' '}
            {found.issues.length === 1 ? 'it is' : 'they are'}:
          </p>
          <ul>
            {found.issues.map((url) => (
              <li key={url} class="untrusted">
                {visible(url)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
