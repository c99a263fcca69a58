import * as v from 'valibot';

const MAX = { claims: 16, cites: 16, chars: 4_000 } as const;
const text = v.pipe(v.string(), v.maxLength(MAX.chars));

/** The requested answer. Accepts slightly more than requested, which core truncates; any other shape is rejected. */
export const answerSchema = v.object({
  insufficient: v.boolean(),
  claims: v.pipe(
    v.array(
      v.object({
        text,
        cites: v.pipe(v.array(v.object({ evidence: text, quote: text })), v.maxLength(MAX.cites)),
      }),
    ),
    v.maxLength(MAX.claims),
  ),
});

/** The reader's answer, in the same way. `why` makes a model give its reason first; it is not used. */
export const readingSchema = v.object({
  choices: v.pipe(v.array(v.object({ commit: text, quote: text })), v.maxLength(MAX.claims)),
});
