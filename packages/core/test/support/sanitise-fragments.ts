import fc from 'fast-check';
import { EMAIL, TEXT_RULES } from '../../src/pipeline/sanitise/rules.js';
import { viewsOf } from '../../src/pipeline/sanitise/views.js';
import { JWT } from './sanitise-corpus.js';

/** Pieces of secrets and of their context, to be concatenated in any order. */
export const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      'password',
      'token',
      'Authorization',
      'Bearer ',
      'Basic ',
      '=',
      ': ',
      ':',
      '=>',
      ' = ',
      '"',
      "'",
      '\\',
      '&',
    ],
    ...[
      '?sig=',
      '--password ',
      '://u:',
      '@h',
      '@',
      '.',
      '-',
      ' ',
      '\n',
      '/home/',
      '/Users/',
      'C:\\Users\\',
      '/',
      ']',
    ],
    ...[
      '[redacted:card]',
      '[redacted:',
      'eyJ',
      'AKIA',
      'ghp_',
      'sk-',
      '4111 1111 1111 1111',
      '078-05-1120',
      'a.b',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'bob@example.com',
      'Cookie: a=b',
      JWT,
      '::1',
    ],
    ...[
      '%20',
      '%3D',
      '%253D',
      '%22',
      '\\n',
      '\\u003d',
      '\\x3d',
      '\\"',
      '&quot;',
      '&#61;',
      '&amp;',
      '\u001b[31m',
    ],
    ...[
      '\u00a0',
      '\u200b',
      '";s:2:"',
      ": b'",
      'Some("',
      '</password>',
      '<password>',
      '<![CDATA[',
      ']]>',
      '?x#',
    ],
    ...[
      '\n  ',
      '|\n  ',
      '-----END PRIVATE KEY-----',
      "identified by '",
      "', '",
      'rawHeaders: [',
      '4111.1111.1111.1111',
    ],
  ),
  fc.string({ maxLength: 6 }),
  fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
);

/**
 * How much the rules find in a text and its decoded forms without the prefilter that skips most of them. Hints are part of a rule:
 * `k="…"` is a secret only beside `kty`.
 */
export function unfiltered(text: string): number {
  const rules = [...TEXT_RULES.slice(0, -2), EMAIL, ...TEXT_RULES.slice(-2)];
  return [...viewsOf(text)].reduce((count, view) => {
    const tried = rules.filter(({ hints = [''] }) => hints.some((hint) => view.text.includes(hint)));
    return tried.reduce((sum, { find }) => sum + find(view.text).length, count);
  }, 0);
}
