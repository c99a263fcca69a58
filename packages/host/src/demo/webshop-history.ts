import type { HistoryCommit } from './git-history.js';
import { CAMPAIGN, CAMPAIGN_DATA, CRASHING_ORDER, FIRST_FILES, PROMO, SHIPPING } from './webshop-files.js';

const ADA = 'Ada Quist';
const TOMAS = 'Tomás Rivera';
const MEI = 'Mei Lin';
const JONAS = 'Jonas Weber';
const PRIYA = 'Priya Nair';

/** The commit that introduced the bug. It is neither the latest commit nor the last change to the crashed line. */
export const CULPRIT_TITLE = 'Read vouchers from the campaign file';
export const FORMATTER_TITLE = 'Format everything with Biome';

/** The service's history, oldest first. Each edit must match exactly once. */
export const WEBSHOP_HISTORY: readonly HistoryCommit[] = [
  { author: ADA, daysAgo: 61, time: '10:24', title: 'Checkout: quote an order', write: FIRST_FILES },
  {
    author: ADA,
    daysAgo: 55,
    time: '15:02',
    title: 'Ship by weight',
    write: { 'src/shipping.js': SHIPPING },
    edit: [
      [
        'src/checkout.js',
        `from './cart.js';\n`,
        `from './cart.js';\nimport { shipping } from './shipping.js';\n`,
      ],
      [
        'src/checkout.js',
        '  return { goods, total: goods };',
        '  const postage = shipping(order.lines);\n  return { goods, postage, total: goods + postage };',
      ],
    ],
  },
  {
    author: TOMAS,
    daysAgo: 40,
    time: '09:41',
    title: 'Vouchers: WELCOME10 and STAFF20',
    body: 'A code that we do not know takes nothing off.',
    write: { 'src/promo.js': PROMO },
    edit: [
      [
        'src/checkout.js',
        `from './cart.js';\n`,
        `from './cart.js';\nimport { voucherDiscount } from './promo.js';\n`,
      ],
      [
        'src/checkout.js',
        '  return { goods, postage, total: goods + postage };',
        '  const discount = voucherDiscount(goods, order.voucher);\n  return { goods, postage, discount, total: goods + postage - discount };',
      ],
    ],
  },
  {
    author: MEI,
    daysAgo: 33,
    time: '16:18',
    title: 'Refuse orders without lines',
    edit: [
      [
        'src/order.js',
        `  return JSON.parse(readFileSync(path, 'utf8'));`,
        `  const order = JSON.parse(readFileSync(path, 'utf8'));\n  if (!order.lines?.length) throw new Error('order ' + order.id + ' has no lines');\n  return order;`,
      ],
    ],
  },
  {
    author: TOMAS,
    daysAgo: 21,
    time: '11:07',
    title: 'Print the currency on the receipt',
    edit: [
      ['src/receipt.js', `name + ' ' + cents / 100);`, `name + ' ' + cents / 100 + ' ' + currency);`],
      [
        'src/receipt.js',
        'export function receipt(order, quoted) {\n',
        `export function receipt(order, quoted) {\n  const currency = order.currency ?? 'EUR';\n`,
      ],
    ],
  },
  {
    author: JONAS,
    daysAgo: 12,
    time: '17:36',
    title: CULPRIT_TITLE,
    body: 'Marketing can now start and end a campaign without a release.',
    write: { 'src/campaign.js': CAMPAIGN, 'data/campaign.json': CAMPAIGN_DATA },
    edit: [
      [
        'src/promo.js',
        'const PERCENT = { WELCOME10: 10, STAFF20: 20 };',
        `import { campaign } from './campaign.js';`,
      ],
      [
        'src/promo.js',
        '  const percent = PERCENT[code] ?? 0;\n  return Math.round((cents * percent) / 100);',
        '  const voucher = campaign.vouchers.find((item) => item.code === code);\n  return Math.round((cents * voucher.percent) / 100);',
      ],
    ],
  },
  { author: MEI, daysAgo: 9, time: '10:03', title: FORMATTER_TITLE, formats: true },
  {
    author: MEI,
    daysAgo: 9,
    time: '10:11',
    title: 'Look through the formatting commit in blame',
    ignores: FORMATTER_TITLE,
  },
  {
    author: ADA,
    daysAgo: 6,
    time: '13:47',
    title: 'Move discounts to src/pricing',
    move: [
      ['src/promo.js', 'src/pricing/discounts.js'],
      ['src/campaign.js', 'src/pricing/campaign.js'],
    ],
    edit: [
      ['src/checkout.js', './promo.js', './pricing/discounts.js'],
      ['src/pricing/campaign.js', '../data/campaign.json', '../../data/campaign.json'],
    ],
  },
  {
    author: PRIYA,
    daysAgo: 3,
    time: '11:29',
    title: 'Vouchers need a minimum spend and skip gift cards',
    edit: [
      [
        'src/pricing/discounts.js',
        '  if (!code) return 0;\n',
        '  if (!code) return 0;\n  if (cents < campaign.minimumSpend) return 0;\n',
      ],
      [
        'src/checkout.js',
        'voucherDiscount(goods, order.voucher)',
        'voucherDiscount(goods - giftCards(order.lines), order.voucher)',
      ],
      ['src/checkout.js', 'import { subtotal }', 'import { giftCards, subtotal }'],
      [
        'src/cart.js',
        'export function subtotal(lines) {',
        `export function giftCards(lines) {\n  return subtotal(lines.filter((line) => line.sku === 'gift-card'));\n}\n\nexport function subtotal(lines) {`,
      ],
    ],
  },
  {
    author: TOMAS,
    daysAgo: 2,
    time: '14:55',
    title: 'Free shipping for orders without weight',
    edit: [['src/shipping.js', '  return STEPS.find', '  if (grams === 0) return 0;\n  return STEPS.find']],
  },
  {
    author: MEI,
    daysAgo: 1,
    time: '16:05',
    title: 'Add order 1043 to the examples',
    write: { 'orders/1043.json': CRASHING_ORDER },
    edit: [
      ['README.md', 'orders/1042.json\n', 'orders/1042.json\n    node bin/checkout.js orders/1043.json\n'],
    ],
    tag: 'v2.4.0',
  },
];
