import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesBelow } from './sources.mjs';

const DECISIONS = 'docs/decisions';
/** Folders in which a cited file may be. */
const FOLDERS = ['.ci', 'bench', 'docs', 'examples', 'packages', 'scripts'];
/** A path with a folder and an extension of this repository. Paths that begin with `src/` are examples of crashes. */
const CITATION = /(?<![\w/.:@~-])(?!src\/)[a-z][\w.-]*(?:\/[\w.-]+)*\/[\w.-]+\.(?:md|mjs|cjs|ts|tsx)\b/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm;

export const DOC_LAWS = ['cited-file', 'decision-index', 'doc-index', 'doc-link'];

/** Laws about what comments cite, about the indexes of pages and decisions, and about links. @returns {import('./sources.mjs').Finding[]} */
export function docLaws(root) {
  return [...citedFileLaw(root), ...decisionLaw(root), ...pageLaws(root)];
}

/** A comment of the product, the scripts and the benches cites only files that are in the repository. */
function citedFileLaw(root) {
  const known = FOLDERS.flatMap((folder) => filesBelow(root, folder));
  const exists = (path) => known.some((file) => file === path || file.endsWith(`/${path}`));
  return known
    .filter(
      (file) => /\.(?:ts|tsx|mjs|cjs)$/.test(file) && !/^packages\/[^/]+\/(?:test|dist-test)\//.test(file),
    )
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [...text.matchAll(COMMENT)].flatMap((comment) =>
        [...comment[0].matchAll(CITATION)]
          .filter(([path]) => !exists(path.replace(/^(?:\.\.?\/)+/, '')))
          .map((citation) => ({
            file,
            line: text.slice(0, comment.index + citation.index).split('\n').length,
            law: 'cited-file',
            reason: `${citation[0]} is not in the repository. State the fact or name a file that is.`,
          })),
      );
    });
}

/** Every number up to the last decision has a row in the index: the decision, or why it is missing. */
function decisionLaw(root) {
  if (!existsSync(join(root, DECISIONS))) return [];
  const files = readdirSync(join(root, DECISIONS)).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const index = join(root, DECISIONS, 'README.md');
  const text = existsSync(index) ? readFileSync(index, 'utf8') : '';
  const missing = (reason) => ({ file: `${DECISIONS}/README.md`, line: 1, law: 'decision-index', reason });
  const last = Math.max(0, ...files.map(numberOf));
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return [
    ...files.filter((name) => !text.includes(`(${name})`)).map((name) => missing(`Add a row for ${name}.`)),
    ...numbers
      .filter((number) => !new RegExp(`^\\| ${number} \\|`, 'm').test(text))
      .map((number) => missing(`Add a row for ${number}: the decision, or why it is missing.`)),
    ...numbers
      .filter((number) => files.filter((name) => numberOf(name) === number).length > 1)
      .map((number) => missing(`Two decisions have the number ${number}.`)),
  ];
}

const numberOf = (name) => Number(name.slice(0, 4));

const INDEX = 'docs/README.md';
const LINK = /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/** Links of pages lead somewhere, and the index, with the indexes that it names, leads to every page. */
function pageLaws(root) {
  if (!existsSync(join(root, INDEX))) return [];
  const pages = filesBelow(root, 'docs').filter((file) => file.endsWith('.md'));
  const textOf = (file) => readFileSync(join(root, file), 'utf8');
  const linksOf = (file) =>
    [...textOf(file).matchAll(LINK)].map(({ 0: link, 1: to, 2: anchor, index }) => {
      const target = to === '' ? file : normalize(join(dirname(file), to)).replace(/\/$/, '');
      return { link, target, anchor, line: textOf(file).slice(0, index).split('\n').length };
    });
  const reached = new Set([INDEX]);
  for (const file of reached)
    if (file.endsWith('README.md') && pages.includes(file))
      for (const { target } of linksOf(file)) reached.add(target);
  const isThere = ({ target, anchor }) =>
    existsSync(join(root, target)) &&
    (!anchor || !target.endsWith('.md') || anchorsOf(textOf(target)).has(anchor));
  return [
    ...pages
      .filter((file) => !reached.has(file))
      .map((file) => ({ file, line: 1, law: 'doc-index', reason: `Link it from ${INDEX}.` })),
    ...['README.md', ...pages]
      .filter((file) => existsSync(join(root, file)))
      .flatMap((file) =>
        linksOf(file)
          .filter((link) => !isThere(link))
          .map(({ link, line }) => ({ file, line, law: 'doc-link', reason: `${link} leads nowhere.` })),
      ),
  ];
}

/** As GitHub makes them of headings. */
function anchorsOf(text) {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/\]\([^)]*\)/g, '')
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
