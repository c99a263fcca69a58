import type { AnalysisInput } from '../../src/pipeline/analyse.js';
import { makeFingerprint, makeFrame } from '../../src/testing/builders.js';
import { makeEvent } from '../../src/testing/index.js';
import type { ScriptedCommit } from '../../src/testing/memory-code-host.js';

const FIRST = `// The cart
exports.add = function add (cart, item) {
  cart.items.push(item)
}

exports.total = function total (cart) {
  let sum = 0
  for (const item of cart.items) {
    sum += item.amount
  }
  return sum
}

exports.count = function count (cart) {
  return cart.items.length
}
`;
const CULPRIT = FIRST.replace('sum += item.amount', 'sum += item.price.amount * (item.quantity || 1)');
const FORMATTED = CULPRIT.replaceAll('  ', '    ')
  .replace('// The cart', "'use strict'\n\n// The cart")
  .replaceAll(/([)\]\d])\n/g, '$1;\n')
  .replace('return sum\n', 'return sum;\n')
  .replaceAll(/ \((cart[^)]*)\) \{/g, '($1) {');
const LATER = FORMATTED.replace(
  '    return sum;\n',
  '    if (cart.voucher) {\n        sum -= cart.voucher.amount;\n    }\n    return Math.round(sum * 100) / 100;\n',
);
const SERVER = `const cart = require('../lib/cart.js')
module.exports = (request) => {
  return cart.total(request.cart)
}
`;

/**
 * Six months of a shop. The culprit is neither the newest commit nor the newest blamed line: a rename, a formatter and
 * a later edit of the same function lie between it and the crash.
 */
export const SHOP: readonly ScriptedCommit[] = [
  {
    title: 'Start the shop',
    author: 'Ada',
    at: '2025-07-01T10:00:00.000Z',
    write: { 'lib/cart.js': FIRST, 'README.md': 'Shop\n' },
  },
  {
    title: 'Serve the cart',
    author: 'Bo',
    at: '2025-08-01T10:00:00.000Z',
    write: { 'src/server.js': SERVER },
  },
  {
    title: 'Price items in several currencies',
    body: 'An item now carries price.amount and price.currency.',
    author: 'Chidi',
    at: '2025-12-10T10:00:00.000Z',
    write: { 'lib/cart.js': CULPRIT },
  },
  {
    title: 'Move the cart to src',
    author: 'Bo',
    at: '2025-12-20T10:00:00.000Z',
    rename: { 'lib/cart.js': 'src/cart.js' },
    write: { 'src/server.js': SERVER.replace('../lib/', './') },
  },
  {
    title: 'Format everything',
    author: 'Dana',
    at: '2025-12-27T10:00:00.000Z',
    write: { 'src/cart.js': FORMATTED },
  },
  {
    title: 'Round totals and take vouchers off',
    author: 'Ada',
    at: '2026-01-03T10:00:00.000Z',
    write: { 'src/cart.js': LATER },
  },
  {
    title: 'Say more in the README',
    author: 'Eve',
    at: '2026-01-05T07:00:00.000Z',
    write: { 'README.md': 'Shop\n\nMore\n' },
  },
];
export const CULPRIT_TITLE = 'Price items in several currencies';
export const CRASHED_LINE = LATER.split('\n').findIndex((line) => line.includes('price.amount')) + 1;
export const LATER_SOURCE = LATER;

export function shopInput(overrides: Partial<AnalysisInput> = {}): AnalysisInput {
  const event = makeEvent({
    exceptions: [
      {
        type: 'TypeError',
        value: "Cannot read properties of undefined (reading 'amount')",
        module: null,
        handled: false,
        synthetic: false,
        mechanism: null,
        frames: [
          makeFrame({ file: 'node_modules/express/lib/router.js', function: 'next', line: 9, in_app: false }),
          makeFrame({ file: '/srv/shop/src/server.js', function: 'module.exports', line: 3 }),
          makeFrame({
            file: '/srv/shop/src/cart.js',
            function: 'total',
            line: CRASHED_LINE,
            context_line: '        sum += item.price.amount * (item.quantity || 1);',
          }),
        ],
      },
    ],
    release: 'shop@1.4.0',
  });
  return {
    run_id: 'run_01',
    project: 'default',
    generation: 1,
    cycle: 1,
    incident: {
      title: "TypeError: Cannot read properties of undefined (reading 'amount')",
      fingerprint: makeFingerprint(),
      level: 'error',
      platform: 'node',
      occurrences: 3,
      first_seen: '2026-01-05T09:00:00.000Z',
      last_seen: '2026-01-05T09:05:00.000Z',
      releases: ['shop@1.4.0'],
      environments: ['production'],
      doors: ['webhook', 'native', 'sdk'],
      regression_of: null,
    },
    event,
    config: {
      repository: 'shop/shop',
      publishRepository: 'shop/shop',
      mappings: [],
      labels: [],
      assignees: [],
      commitLabels: false,
      diffBudget: 10,
    },
    analyzedAt: '2026-01-05T09:10:00.000Z',
    ...overrides,
  };
}

/** The same after a long history of other work: with less than 100 commits, few probabilities are rated. */
export const LONG_SHOP: readonly ScriptedCommit[] = [
  ...Array.from({ length: 100 }, (_, index) => ({
    title: `Note ${index}`,
    at: new Date(Date.UTC(2024, 0, 1 + index)).toISOString(),
    write: { 'NOTES.md': `Note ${index}\n` },
  })),
  ...SHOP,
];
