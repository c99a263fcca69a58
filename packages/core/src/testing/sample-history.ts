import type { BlamedFile, Diff } from '../ports/code-host.js';
import type { KnownHistory, SampleCommit } from './known-history.js';

const START = '5e4357d89374c759b57a73426b61c2a479eeaa2c';
const TOTALS = '15a1d6c4c91a34e57dfef495ba94f8057d6d54f9';
const FORMAT = '5c748fa409d8e0507b26e0a05f8778f8ae0ef2f6';
const NOTES = '16454b727a4a3b2c1eaeaca1ff4e8434725e02c6';
const MERGE = '28ef58370eaa02e72dee47e8a48f6829c05517fa';
const RENAME = 'e276ce826623c1883ccd4567322fd98d9ca6bb9d';

const ada = { name: 'Ada Vale', email: 'ada@shop.example' };
const bo = { name: 'Bo Zhâng', email: 'bo@shop.example' };
const days = (day: number) => `2026-01-${String(day).padStart(2, '0')}T10:00:00.000Z`;
const GREETING = 'docs/grüße aus köln.md';

const total = (price: string, result: string) => [
  'export function total(items) {',
  '  let sum = 0;',
  `  for (const item of items) sum += ${price};`,
  `  return ${result};`,
  '}',
  '',
];
const first = (item: string) => ['export function first(items) {', `  return ${item}.name;`, '}'];
const file = (...parts: readonly (readonly string[])[]) =>
  parts
    .flat()
    .map((line) => `${line}\n`)
    .join('');

const BASKET = [...total('item.price * item.count', '(sum)'), ...first('items.at(0)')];
const CART = [...total('item.price * item.count', '(sum)'), ...first('items[0]')];

const commit = (
  sha: string,
  parents: readonly string[],
  author: SampleCommit['author'],
  day: number,
  message: string,
  files: SampleCommit['files'],
): SampleCommit => ({ sha, parents, author, committed_at: days(day), message, files });

const make: readonly SampleCommit[] = [
  commit(START, [], ada, 5, 'Start the shop\n', {
    'README.md': '# Shop\n',
    'src/cart.ts': file(total('item.price', 'sum'), first('items[0]')),
    'src/empty.ts': '',
    [GREETING]: 'Grüße!\n',
  }),
  commit(TOTALS, [START], bo, 6, 'Count items in totals\n\nA cart may hold the same item twice.\n', {
    'src/cart.ts': file(total('item.price * item.count', 'sum'), first('items[0]')),
    'logo.bin': '\0\u0001\u0002logo\n',
  }),
  commit(FORMAT, [TOTALS], ada, 7, 'Format everything\n', { 'src/cart.ts': file(CART) }),
  commit(NOTES, [TOTALS], bo, 8, 'Notes from Windows\n', { 'notes.txt': 'one\r\ntwo\r\n' }),
  commit(MERGE, [NOTES, FORMAT], ada, 9, "Merge branch 'format'\n", { 'src/cart.ts': file(CART) }),
  commit(RENAME, [MERGE], bo, 10, 'Call the cart a basket\n', {
    '.git-blame-ignore-revs': `# formatting\n${FORMAT} # prettier\n`,
    'src/cart.ts': null,
    'src/basket.ts': file(BASKET),
  }),
];

const touched = (sha: string, day: number) => ({ sha, committed_at: days(day) });
const range = (start: number, end: number, sha: string, day: number) => ({
  start,
  end,
  ...touched(sha, day),
});
const known = (sha: string, title: string, additions: number, deletions: number) => {
  const made = make.find((one) => one.sha === sha);
  return {
    sha,
    title,
    message: (made?.message ?? '').trimEnd(),
    author: { name: made?.author.name ?? '' },
    committed_at: made?.committed_at ?? '',
    parents: made?.parents ?? [],
    additions,
    deletions,
  };
};
const blamed = (
  at: string,
  path: string,
  lines: readonly string[],
  ranges: BlamedFile['ranges'],
  history: BlamedFile['history'],
) => ({ at, file: { path, ranges, history, lines } });
/** One hunk that replaces lines in place. */
const replaced = (start: number, count: number, section: string, lines: readonly string[]) => [
  { old_start: start, old_lines: count, new_start: start, new_lines: count, section, lines },
];
const added = (path: string, lines: readonly string[]) => {
  const hunk = {
    old_start: 0,
    old_lines: 0,
    new_start: 1,
    new_lines: lines.length,
    section: '',
    lines: lines.map((line) => `+${line}`),
  };
  return { path, old_path: path, status: 'added' as const, hunks: lines.length === 0 ? [] : [hunk] };
};
const diff = (sha: string, ...files: Diff['files']): Diff => ({ sha, truncated: false, files });

/** Rename, merge, root, an empty file, a binary file, CRLF, a path with spaces beyond ASCII, tags of both kinds. */
export const sampleHistory: KnownHistory = {
  make,
  tags: [
    { name: 'v1.0.0', sha: TOTALS, annotated: false },
    { name: 'shop@1.1.0', sha: MERGE, annotated: true },
  ],
  paths: [
    '.git-blame-ignore-revs',
    'README.md',
    GREETING,
    'logo.bin',
    'notes.txt',
    'src/basket.ts',
    'src/empty.ts',
  ],
  commits: [
    known(RENAME, 'Call the cart a basket', 3, 1),
    known(MERGE, "Merge branch 'format'", 1, 1),
    known(NOTES, 'Notes from Windows', 2, 0),
    known(FORMAT, 'Format everything', 1, 1),
    known(TOTALS, 'Count items in totals', 1, 1),
    known(START, 'Start the shop', 11, 0),
  ],
  blame: [
    blamed(
      RENAME,
      'src/basket.ts',
      BASKET,
      [
        range(1, 2, START, 5),
        range(3, 3, TOTALS, 6),
        range(4, 4, FORMAT, 7),
        range(5, 7, START, 5),
        range(8, 8, RENAME, 10),
        range(9, 9, START, 5),
      ],
      [touched(RENAME, 10)],
    ),
    blamed(
      MERGE,
      'src/cart.ts',
      CART,
      [range(1, 2, START, 5), range(3, 3, TOTALS, 6), range(4, 4, FORMAT, 7), range(5, 9, START, 5)],
      [touched(FORMAT, 7), touched(TOTALS, 6), touched(START, 5)],
    ),
    blamed(RENAME, 'src/empty.ts', [], [], [touched(START, 5)]),
    blamed(RENAME, GREETING, ['Grüße!'], [range(1, 1, START, 5)], [touched(START, 5)]),
    blamed(MERGE, 'notes.txt', ['one', 'two'], [range(1, 2, NOTES, 8)], [touched(NOTES, 8)]),
  ],
  binary: 'logo.bin',
  ignored: [FORMAT],
  diffs: [
    diff(RENAME, added('.git-blame-ignore-revs', ['# formatting', `${FORMAT} # prettier`]), {
      path: 'src/basket.ts',
      old_path: 'src/cart.ts',
      status: 'renamed',
      hunks: replaced(5, 5, 'export function total(items) {', [
        ' }',
        ' ',
        ' export function first(items) {',
        '-  return items[0].name;',
        '+  return items.at(0).name;',
        ' }',
      ]),
    }),
    diff(MERGE, {
      path: 'src/cart.ts',
      old_path: 'src/cart.ts',
      status: 'modified',
      hunks: replaced(1, 7, '', [
        ' export function total(items) {',
        '   let sum = 0;',
        '   for (const item of items) sum += item.price * item.count;',
        '-  return sum;',
        '+  return (sum);',
        ' }',
        ' ',
        ' export function first(items) {',
      ]),
    }),
    diff(
      START,
      added('README.md', ['# Shop']),
      added(GREETING, ['Grüße!']),
      added('src/cart.ts', [...total('item.price', 'sum'), ...first('items[0]')]),
      added('src/empty.ts', []),
    ),
  ],
};
