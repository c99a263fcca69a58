/** Characters of a proposal's note. */
export const NOTE_CHARS = 500;
