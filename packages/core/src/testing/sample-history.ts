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

const make: readonly SampleCommit[] = [
  {
    sha: START,
    parents: [],
    author: ada,
    committed_at: days(5),
    message: 'Start the shop\n',
    files: {
      'README.md': '# Shop\n',
      'src/cart.ts': file(total('item.price', 'sum'), first('items[0]')),
      'src/empty.ts': '',
      [GREETING]: 'Grüße!\n',
    },
  },
  {
    sha: TOTALS,
    parents: [START],
    author: bo,
    committed_at: days(6),
    message: 'Count items in totals\n\nA cart may hold the same item twice.\n',
    files: {
      'src/cart.ts': file(total('item.price * item.count', 'sum'), first('items[0]')),
      'logo.bin': '\0\u0001\u0002logo\n',
    },
  },
  {
    sha: FORMAT,
    parents: [TOTALS],
    author: ada,
    committed_at: days(7),
    message: 'Format everything\n',
    files: { 'src/cart.ts': file(CART) },
  },
  {
    sha: NOTES,
    parents: [TOTALS],
    author: bo,
    committed_at: days(8),
    message: 'Notes from Windows\n',
    files: { 'notes.txt': 'one\r\ntwo\r\n' },
  },
  {
    sha: MERGE,
    parents: [NOTES, FORMAT],
    author: ada,
    committed_at: days(9),
    message: "Merge branch 'format'\n",
    files: { 'src/cart.ts': file(CART) },
  },
  {
    sha: RENAME,
    parents: [MERGE],
    author: bo,
    committed_at: days(10),
    message: 'Call the cart a basket\n',
    files: {
      '.git-blame-ignore-revs': `# formatting\n${FORMAT} # prettier\n`,
      'src/cart.ts': null,
      'src/basket.ts': file(BASKET),
    },
  },
];

const touched = (sha: string, day: number) => ({ sha, committed_at: days(day) });
const range = (start: number, end: number, sha: string, day: number) => ({
  start,
  end,
  ...touched(sha, day),
});
const known = (sha: string, title: string, additions: number, deletions: number) => {
  const commit = make.find((one) => one.sha === sha);
  return {
    sha,
    title,
    message: (commit?.message ?? '').trimEnd(),
    author: { name: commit?.author.name ?? '' },
    committed_at: commit?.committed_at ?? '',
    parents: commit?.parents ?? [],
    additions,
    deletions,
  };
};
const added = (path: string, lines: readonly string[]) => ({
  path,
  old_path: path,
  status: 'added' as const,
  hunks:
    lines.length === 0
      ? []
      : [
          {
            old_start: 0,
            old_lines: 0,
            new_start: 1,
            new_lines: lines.length,
            section: '',
            lines: lines.map((line) => `+${line}`),
          },
        ],
});

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
    {
      at: RENAME,
      file: {
        path: 'src/basket.ts',
        ranges: [
          range(1, 2, START, 5),
          range(3, 3, TOTALS, 6),
          range(4, 4, FORMAT, 7),
          range(5, 7, START, 5),
          range(8, 8, RENAME, 10),
          range(9, 9, START, 5),
        ],
        history: [touched(RENAME, 10)],
        lines: BASKET,
      },
    },
    {
      at: MERGE,
      file: {
        path: 'src/cart.ts',
        ranges: [
          range(1, 2, START, 5),
          range(3, 3, TOTALS, 6),
          range(4, 4, FORMAT, 7),
          range(5, 9, START, 5),
        ],
        history: [touched(FORMAT, 7), touched(TOTALS, 6), touched(START, 5)],
        lines: CART,
      },
    },
    {
      at: RENAME,
      file: { path: 'src/empty.ts', ranges: [], history: [touched(START, 5)], lines: [] },
    },
    {
      at: RENAME,
      file: {
        path: GREETING,
        ranges: [range(1, 1, START, 5)],
        history: [touched(START, 5)],
        lines: ['Grüße!'],
      },
    },
    {
      at: MERGE,
      file: {
        path: 'notes.txt',
        ranges: [range(1, 2, NOTES, 8)],
        history: [touched(NOTES, 8)],
        lines: ['one', 'two'],
      },
    },
  ],
  binary: 'logo.bin',
  ignored: [FORMAT],
  diffs: [
    {
      sha: RENAME,
      truncated: false,
      files: [
        added('.git-blame-ignore-revs', ['# formatting', `${FORMAT} # prettier`]),
        {
          path: 'src/basket.ts',
          old_path: 'src/cart.ts',
          status: 'renamed',
          hunks: [
            {
              old_start: 5,
              old_lines: 5,
              new_start: 5,
              new_lines: 5,
              section: 'export function total(items) {',
              lines: [
                ' }',
                ' ',
                ' export function first(items) {',
                '-  return items[0].name;',
                '+  return items.at(0).name;',
                ' }',
              ],
            },
          ],
        },
      ],
    },
    {
      sha: MERGE,
      truncated: false,
      files: [
        {
          path: 'src/cart.ts',
          old_path: 'src/cart.ts',
          status: 'modified',
          hunks: [
            {
              old_start: 1,
              old_lines: 7,
              new_start: 1,
              new_lines: 7,
              section: '',
              lines: [
                ' export function total(items) {',
                '   let sum = 0;',
                '   for (const item of items) sum += item.price * item.count;',
                '-  return sum;',
                '+  return (sum);',
                ' }',
                ' ',
                ' export function first(items) {',
              ],
            },
          ],
        },
      ],
    },
    {
      sha: START,
      truncated: false,
      files: [
        added('README.md', ['# Shop']),
        added(GREETING, ['Grüße!']),
        added('src/cart.ts', [...total('item.price', 'sum'), ...first('items[0]')]),
        added('src/empty.ts', []),
      ],
    },
  ],
};
