import fc from 'fast-check';
import t from 'tap';
import { sanitiseText } from '../../src/connector/index.js';
import {
  CARD_WRITINGS,
  issuedTokens,
  secretOf,
  TOKEN_WRITINGS,
  WRAPPED_WRITINGS,
} from '../support/encoded-corpus.js';
import { keptOf, type Named, PLANTED_PLACES } from '../support/planted-run.js';
import { figures } from '../support/sanitise-figures.js';
import { fragment, unfiltered } from '../support/sanitise-fragments.js';

/** Every issuer's first start. */
const tokens = [...new Map([...issuedTokens(7)].reverse().map((issued) => [issued.id, issued])).values()];

t.test('every issuer × encodings × every place: nothing is kept', { timeout: 1_800_000 }, async (t) => {
  const secrets: readonly Named[] = [
    // Each issuer in every second encoding, in turn.
    ...tokens.flatMap(({ id, token }, index) =>
      TOKEN_WRITINGS.filter((_, at) => (at + index) % 2 === 0).map((writing) => ({
        id: `${id}, ${writing.id}`,
        written: writing.write(token),
      })),
    ),
    ...WRAPPED_WRITINGS.map(({ id, write }, index) => ({ id, written: write(secretOf(index)) })),
    ...CARD_WRITINGS.map((written) => ({ id: `card ${written.secret}`, written })),
  ];
  const { planted, kept } = await keptOf(secrets, PLANTED_PLACES.length);
  t.comment(`${planted} planted, ${kept.length} kept`);
  t.strictSame(kept, []);
  t.ok(planted >= 5_000);
  t.equal(planted, figures.planted, 'docs/reference/sanitising.md publishes this figure');
});

t.test(
  'property: a long search for texts that the prefilter skips or that are not stable',
  { timeout: 1_800_000 },
  async () => {
    const texts = fc.array(fragment, { maxLength: 10 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const { value, redactions } = sanitiseText(text);
        return redactions === 0 ? unfiltered(text) === 0 : sanitiseText(value).redactions === 0;
      }),
      { numRuns: 300_000 },
    );
  },
);
