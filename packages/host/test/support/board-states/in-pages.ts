/** Views that pages of the documentation show in full size: the file in `docs/pictures` by view. */
export const IN_PAGES: Readonly<Record<string, string>> = {
  'inbox-1440-light': 'inbox',
  'gate-2-1440-light': 'run',
  'gate-2-1440-dark': 'run-dark',
  'gate-2-390-light': 'run-narrow',
  'draft-1440-dark': 'draft-dark',
  'edges-1440-light': 'edges',
};
