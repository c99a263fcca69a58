const SCHEMES =
  /^(?:app:\/\/\/?|file:\/\/|webpack-internal:\/\/\/?|webpack:\/\/\/?|turbopack:\/\/\/?|https?:\/\/[^/]*\/|[a-z]+:\/\/\/)/i;
/** `(rsc)/`, `[project]/`: layers that bundlers prepend. */
const LAYER = /^(?:\([\w-]{1,40}\)|\[[\w-]{1,40}\])\//;
const LONGEST = 4_096;

/** Native, generated and platform code, which no repository contains. */
const NOT_A_FILE = /^(?:node:|internal\/|native |\[|<|evalmachine)/;

/**
 * A reported file name without what depends on where it ran: schemes, drive letters, query strings, `./`, `../`, `~/`, a
 * leading slash. `null` if it is not a file or nothing is left.
 */
export function cleanPath(reported: string): string | null {
  if (reported.length > LONGEST || NOT_A_FILE.test(reported)) return null;
  let path = reported.replaceAll('\\', '/').replace(SCHEMES, '');
  path = path.replace(/^\/?[A-Za-z]:\//, '').replace(/[?#].*$/s, '');
  for (let rest = ''; rest !== path; ) {
    rest = path;
    path = path.replace(/^(?:\.{1,2}\/|~\/|\/)+/, '').replace(LAYER, '');
  }
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
}

const LIBRARY =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|bower_components|pkg\/mod|usr\/local\/go\/src|rustc|\.cargo\/registry)\/|(?:^|\/)gems\/[^/]+-\d[^/]*\/|(?:^|\/)lib\/(?:python\d|ruby\/\d)/;

/** True for code of the platform or of an installed package. Used if the report does not mark the frame. */
export function isLibraryPath(reported: string): boolean {
  return LIBRARY.test(reported.replaceAll('\\', '/'));
}
