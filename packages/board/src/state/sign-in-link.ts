const LINK = /^#sign-in=/;

/** The secret of the sign-in link that opened this page; `null` without one. Not in the address or the history any more. */
export const secretOfLink = takeSecret();

function takeSecret(): string | null {
  const { hash, pathname, search } = location;
  if (!LINK.test(hash)) return null;
  history.replaceState(null, '', `${pathname}${search}`);
  return hash.replace(LINK, '');
}

// A link that is opened where the board is already open changes only the fragment.
window.addEventListener('hashchange', () => {
  if (LINK.test(location.hash)) location.reload();
});
