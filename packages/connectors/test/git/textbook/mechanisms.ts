import type { Language } from './languages.js';

/** A module's imports and functions. */
interface Module {
  readonly imports?: readonly string[];
  readonly functions: readonly string[];
}
export type Files = Readonly<Record<string, string | null>>;
export interface Step {
  readonly title: string;
  readonly daysBefore: number;
  readonly files: Files;
}
/** One small repository, with its culprit and the expected first reason. */
export interface TextbookCase {
  readonly name: string;
  readonly language: Language;
  readonly steps: readonly Step[];
  /** Index into the steps. */
  readonly culprit: number;
  readonly codes: readonly string[];
  readonly error: string;
  /** Crashed frame first; the line is found by its text in the last version. */
  readonly frames: readonly { readonly path: string; readonly text: string; readonly function: string }[];
}

interface Story {
  readonly title: string;
  readonly codes: readonly string[];
  readonly error: string;
  readonly before: Readonly<Record<string, Module>>;
  readonly after: Readonly<Record<string, Module | null>>;
  /** The crash location: module, function and text of the line. */
  readonly at: readonly [module: string, name: string, text: string];
  /** A commit before the culprit, with the resulting modules. */
  readonly first?: { readonly title: string; readonly modules: Readonly<Record<string, Module>> };
  /** A formatter, applied to every changed module after the culprit. */
  readonly format?: (text: string) => string;
  /** No later commit changes the stack, so blame alone finds the culprit. */
  readonly quiet?: true;
}
type Mechanism = (language: Language) => Story;

/** The last function of every module: old code near the crash that a later commit changes. */
const neighbour = (l: Language, digits: string) =>
  l.define(
    'format_price',
    ['price'],
    [l.assign('text', l.expression(`to_text(%price, ${digits})`)), l.give(l.expression('%text'))],
  );

function textOf(l: Language, module: Module, digits: string): string {
  return l.file(module.imports ?? [], [...module.functions, neighbour(l, digits)]);
}

function caller(l: Language, module: string, name: string, result: string): string {
  const body = [
    l.assign('order', l.expression('open_order(%cart)')),
    l.assign(result, l.expression(`${name}(%cart)`)),
    l.give(l.expression(`%${result}`)),
  ];
  return l.file([l.import(module, name)], [l.define('checkout', ['cart'], body)]);
}

/** Five obviously unrelated commits around the culprit, one of them in the crashed function. */
export function caseOf(mechanism: string, l: Language): TextbookCase | [] {
  const story = MECHANISMS[mechanism]?.(l);
  if (story === undefined) return [];
  const { before, after, at, first, format } = story;
  const [module, name, text] = at;
  const write = (modules: Readonly<Record<string, Module | null>>, digits: string): Files =>
    Object.fromEntries(
      Object.entries(modules).map(([key, one]) => [
        l.path(key),
        one === null ? null : textOf(l, one, digits),
      ]),
    );
  const last = { ...before, ...first?.modules, ...after };
  const formatted = (files: Files): Files =>
    Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, content && (format?.(content) ?? content)]),
    );
  const line = format?.(text) ?? text;
  /** Traces the cart just above the line that will crash. */
  const traced = (files: Files): Files => {
    const path = l.path(module);
    const trace = l.call(l.expression('trace_cart(%cart)'));
    const lines = (files[path] ?? '').split('\n');
    const above = lines.findIndex((one) => one.includes(line.trim()));
    const indent = /^\s*/.exec(lines[above] ?? '')?.[0] ?? '';
    return { [path]: lines.toSpliced(above, 0, `${indent}${trace}`).join('\n') };
  };
  const steps: Step[] = [
    {
      title: 'Add the shop',
      daysBefore: 400,
      files: {
        ...write(before, '1'),
        [l.path('checkout')]: caller(l, module, name, 'sum'),
        'README.md': 'Shop\n',
      },
    },
    ...(first ? [{ title: first.title, daysBefore: 90, files: write(first.modules, '1') }] : []),
    { title: story.title, daysBefore: 60, files: write(after, '1') },
    ...(format ? [{ title: 'Run the formatter', daysBefore: 30, files: formatted(write(after, '1')) }] : []),
    ...(story.quiet
      ? []
      : [
          {
            title: 'Name the result',
            daysBefore: 20,
            files: { [l.path('checkout')]: caller(l, module, name, 'amount') },
          },
        ]),
    { title: 'Show prices with two digits', daysBefore: 10, files: formatted(write(last, '2')) },
    ...(story.quiet
      ? []
      : [{ title: 'Trace carts', daysBefore: 6, files: traced(formatted(write(last, '2'))) }]),
    {
      title: 'Describe the cart and its items in the readme',
      daysBefore: 3,
      files: { 'README.md': 'Shop\n\ncart.items, total\n' },
    },
  ];
  return {
    name: `${mechanism} in ${l.name}`,
    language: l,
    steps,
    culprit: first ? 2 : 1,
    codes: story.codes,
    error: story.error,
    frames: [
      { path: l.path(module), text: line, function: name },
      {
        path: l.path('checkout'),
        text: l.assign(story.quiet ? 'sum' : 'amount', l.expression(`${name}(%cart)`)),
        function: 'checkout',
      },
    ],
  };
}

export const MECHANISMS: Readonly<Record<string, Mechanism>> = {
  'guard removed': (l) => {
    const items = l.expression(l.member('%cart', 'items'));
    const line = l.give(l.expression('count_lines(%cart.items.lines)'));
    const total = (...head: string[]) => l.define('total', ['cart'], [...head, line]);
    return {
      title: 'Simplify the total',
      codes: ['guard_removed'],
      error: l.errors.missing('lines'),
      before: { cart: { functions: [total(l.when(l.isMissing(items), l.give('0')))] } },
      after: { cart: { functions: [total()] } },
      at: ['cart', 'total', line],
    };
  },
  'fallback removed': (l) => {
    const items = l.expression(l.member('%cart', 'items'));
    const line = l.give(l.expression('count_lines(%items.lines)'));
    const total = (value: string) => l.define('total', ['cart'], [l.assign('items', value), line]);
    return {
      title: 'Take the items from the cart',
      codes: ['guard_removed', 'value_changed'],
      error: l.errors.missing('lines'),
      before: { cart: { functions: [total(l.or(items, 'EMPTY'))] } },
      after: { cart: { functions: [total(items)] } },
      at: ['cart', 'total', line],
    };
  },
  'condition inverted': (l) => {
    const items = l.expression('%cart.items');
    const line = l.give(l.expression('count_lines(%cart.items.lines)'));
    const total = (condition: string) => l.define('total', ['cart'], [l.when(condition, l.give('0')), line]);
    return {
      title: 'Count open carts too',
      codes: ['condition_changed'],
      error: l.errors.missing('lines'),
      before: { cart: { functions: [total(l.isMissing(items))] } },
      after: { cart: { functions: [total(`is_open(${items})`)] } },
      at: ['cart', 'total', line],
    };
  },
  'signature changed': (l) => {
    const line = l.give(l.expression('resize_box(%cart.width, %cart.height)'));
    const resize = (...parameters: string[]) =>
      l.define('resize_box', parameters, [l.give(l.expression('scale_all(%width)'))]);
    const total = l.define('total', ['cart'], [line]);
    return {
      title: 'Boxes are square',
      codes: ['signature_changed'],
      error: l.errors.arguments('resize_box', 2, 1),
      before: {
        cart: { imports: [l.import('box', 'resize_box')], functions: [total] },
        box: { functions: [resize('width', 'height')] },
      },
      after: { box: { functions: [resize('width')] } },
      at: ['cart', 'total', line],
    };
  },
  'symbol renamed': (l) => {
    const line = l.assign('user', l.expression('load_customer(%cart)'));
    const load = (name: string) => l.define(name, ['cart'], [l.give(l.expression('read_row(%cart)'))]);
    const total = l.define('total', ['cart'], [line, l.give(l.expression('%user'))]);
    return {
      title: 'One name for readers of rows',
      codes: ['definition_removed'],
      error: l.errors.undefined('load_customer'),
      before: { cart: { functions: [total] }, customers: { functions: [load('load_customer')] } },
      after: { customers: { functions: [load('fetch_customer')] } },
      at: ['cart', 'total', line],
    };
  },
  'upstream value': (l) => {
    const line = l.give(l.expression('shown_in(default_currency.symbol)'));
    const total = l.define('total', ['cart'], [line]);
    return {
      title: 'Let the shop choose',
      codes: ['value_changed'],
      error: l.errors.missing('symbol'),
      before: {
        cart: { imports: [l.import('settings', 'default_currency')], functions: [total] },
        settings: {
          functions: [l.constant('default_currency', 'find_currency(1)'), l.constant('other_limit', '20')],
        },
      },
      after: {
        settings: { functions: [l.constant('default_currency', l.missing), l.constant('other_limit', '20')] },
      },
      at: ['cart', 'total', line],
    };
  },
  'return changed': (l) => {
    const line = l.give(l.expression('join_names(%user.names)'));
    const find = (value: string) => l.define('find_user', ['cart'], [l.call('open_table(1)'), l.give(value)]);
    const total = l.define('total', ['cart'], [l.assign('user', l.expression('find_user(%cart)')), line]);
    return {
      title: 'No account for guests',
      codes: ['callee_changed', 'value_changed'],
      error: l.errors.missing('names'),
      before: { cart: { functions: [total] }, users: { functions: [find('GUEST')] } },
      after: { users: { functions: [find(l.missing)] } },
      at: ['cart', 'total', line],
    };
  },
  'reformatted since': (l) => {
    const line = l.give(l.expression('count_lines(%cart.items, %cart.coupon)'));
    const total = (text: string) => l.define('total', ['cart'], [text]);
    return {
      title: 'Coupons count',
      codes: ['last_changed_line'],
      error: l.errors.missing('coupon'),
      before: { cart: { functions: [total(l.give(l.expression('count_lines(%cart.items)')))] } },
      after: { cart: { functions: [total(line)] } },
      at: ['cart', 'total', line],
      format: (text) => text.replace(/, /g, ',  ').replace(/\(([$\w])/g, '( $1'),
    };
  },
  'fix reverted': (l) => {
    const items = l.expression('%cart.items');
    const line = l.give(l.expression('count_lines(%cart.items.lines)'));
    const total = (...head: string[]) => ({
      cart: { functions: [l.define('total', ['cart'], [...head, line])] },
    });
    return {
      title: 'Revert "Carts may be empty"',
      codes: ['reverts_change', 'guard_removed'],
      error: l.errors.missing('lines'),
      before: total(),
      first: { title: 'Carts may be empty', modules: total(l.when(l.isMissing(items), l.give('0'))) },
      after: total(),
      at: ['cart', 'total', line],
    };
  },
  'check added': (l) => {
    const line = l.raise('every order needs a billing address');
    const total = (...head: string[]) => l.define('total', ['cart'], [...head, l.give('1')]);
    return {
      title: 'Orders are complete',
      codes: ['error_raised', 'last_changed_line'],
      error: l.errors.raised('every order needs a billing address'),
      before: { cart: { functions: [total()] } },
      after: { cart: { functions: [total(l.when(l.isMissing(l.expression('%cart.address')), line))] } },
      at: ['cart', 'total', line],
    };
  },
  'moved and edited': (l) => {
    const line = l.give(l.expression('count_lines(%cart.rows.lines)'));
    const total = (text: string) => l.define('total', ['cart'], [l.call('open_table(1)'), text]);
    return {
      title: 'Totals have a module of their own',
      codes: ['last_changed_line'],
      error: l.errors.missing('lines'),
      before: {
        cart: { functions: [total(l.give(l.expression('count_lines(%cart.items)')))] },
        rows: { functions: [l.define('rows', ['cart'], [l.give('1')])] },
      },
      after: { cart: null, totals: { functions: [total(line)] } },
      at: ['totals', 'total', line],
      quiet: true,
    };
  },
  'new call': (l) => {
    const line = l.call(l.expression('send_receipt(%cart.customer.mail)'));
    const total = (...more: string[]) => l.define('total', ['cart'], [...more, l.give('1')]);
    return {
      title: 'Send receipts',
      codes: ['last_changed_line'],
      error: l.errors.missing('mail'),
      before: { cart: { functions: [total()] } },
      after: { cart: { functions: [total(line)] } },
      at: ['cart', 'total', line],
      quiet: true,
    };
  },
};
