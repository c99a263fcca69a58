/** As core's `DRAFT_LIMITS`, which would bring the engine into the page; core has the last word. */
export const DRAFT_LIMITS = { titleChars: 256, bodyChars: 65_536, trailerChars: 1_536 } as const;
