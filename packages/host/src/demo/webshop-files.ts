/** The initial files of the demo's service, formatted. */
export const FIRST_FILES: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "webshop-checkout",
  "version": "2.4.0",
  "private": true,
  "type": "module"
}
`,
  'README.md': `# webshop-checkout

Quotes an order: goods, shipping, total.

    node bin/checkout.js orders/1042.json
`,
  'bin/checkout.js': `#!/usr/bin/env node
import { quote } from '../src/checkout.js';
import { readOrder } from '../src/order.js';
import { receipt } from '../src/receipt.js';

function main(path) {
  const order = readOrder(path);
  console.log(receipt(order, quote(order)));
}

main(process.argv[2]);
`,
  'src/checkout.js': `import { subtotal } from './cart.js';

/** All amounts are cents. */
export function quote(order) {
  const goods = subtotal(order.lines);
  return { goods, total: goods };
}
`,
  'src/cart.js': `export function subtotal(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.price * line.quantity;
  }
  return sum;
}
`,
  'src/order.js': `import { readFileSync } from 'node:fs';

export function readOrder(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
`,
  'src/receipt.js': `export function receipt(order, quoted) {
  const rows = Object.entries(quoted).map(([name, cents]) => name + ' ' + cents / 100);
  return ['order ' + order.id, ...rows].join('\\n');
}
`,
  'orders/1042.json': `{
  "id": 1042,
  "voucher": "WELCOME10",
  "lines": [{ "sku": "teapot", "price": 3450, "quantity": 1, "grams": 900 }]
}
`,
};

export const SHIPPING = `const STEPS = [
  { grams: 500, cents: 390 },
  { grams: 2000, cents: 590 },
];

export function shipping(lines) {
  let grams = 0;
  for (const line of lines) {
    grams += line.grams * line.quantity;
  }
  return STEPS.find((step) => grams <= step.grams)?.cents ?? 990;
}
`;

export const PROMO = `const PERCENT = { WELCOME10: 10, STAFF20: 20 };

/** What a voucher takes off, in cents. */
export function voucherDiscount(cents, code) {
  if (!code) return 0;
  const percent = PERCENT[code] ?? 0;
  return Math.round((cents * percent) / 100);
}
`;

export const CAMPAIGN = `import { readFileSync } from 'node:fs';

const file = new URL('../data/campaign.json', import.meta.url);

/** What marketing runs at the moment; they edit the file themselves. */
export const campaign = JSON.parse(readFileSync(file, 'utf8'));
`;

export const CAMPAIGN_DATA = `{
  "minimumSpend": 1500,
  "vouchers": [
    { "code": "WELCOME10", "percent": 10 },
    { "code": "SUMMER15", "percent": 15 }
  ]
}
`;

/** The order that crashes: its voucher's campaign is over. */
export const CRASHING_ORDER = `{
  "id": 1043,
  "voucher": "SPRING25",
  "currency": "EUR",
  "lines": [
    { "sku": "teapot", "price": 3450, "quantity": 1, "grams": 900 },
    { "sku": "gift-card", "price": 2000, "quantity": 1, "grams": 0 }
  ]
}
`;
