const SCHEMES =
  /^(?:app:\/\/\/?|file:\/\/|webpack-internal:\/\/\/?|webpack:\/\/\/?|turbopack:\/\/\/?|https?:\/\/[^/]*\/|[a-z]+:\/\/\/)/i;
/** `(rsc)/`, `[project]/`: layers that bundlers put in front. */
const LAYER = /^(?:\([\w-]{1,40}\)|\[[\w-]{1,40}\])\//;
const LONGEST = 4_096;

/** Nothing that a repository could hold: native code, generated code, the platform's own. */
const NOT_A_FILE = /^(?:node:|internal\/|native |\[|<|evalmachine)/;

/**
 * A reported file name with everything taken off that says where it ran and not what it is: schemes, drive letters,
 * query strings, `./`, `../`, `~/`, a leading slash. `null` where nothing is left or it names no file.
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

/** True for code that comes with the platform or a package manager. Used where the reporter does not say. */
export function isLibraryPath(reported: string): boolean {
  return LIBRARY.test(reported.replaceAll('\\', '/'));
}
