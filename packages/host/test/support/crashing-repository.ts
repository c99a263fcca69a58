import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CrashingRepository {
  readonly directory: string;
  readonly head: string;
  readonly culprit: string;
}

const CART = (rate: string) => `// <b>not markup</b> & "quotes"
export function total(items) {
  const sum = items.reduce((all, item) => all + item.price, 0);
  return ${rate};
}
`;

const CONFIG = `const key = \`-----BEGIN PRIVATE KEY-----
${'A'.repeat(64)}
-----END PRIVATE KEY-----\`;
export const db = connect({ user: 'shop', password: 'hunter2', key });
`;

/** A small real repository: two authors, and a commit that broke \`total\`. */
export function crashingRepository(directory: string, name = 'shop'): CrashingRepository {
  mkdirSync(join(directory, 'src'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, env: environment(), encoding: 'utf8' }).trim();
  const commit = (name: string, day: number, message: string) => {
    git('add', '-A');
    const date = `2026-10-${String(day).padStart(2, '0')}T10:00:00Z`;
    execFileSync('git', ['commit', '-qm', message], {
      cwd: directory,
      env: { ...environment(), ...person(name), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(directory, 'src/cart.js'), CART('sum'));
  writeFileSync(
    join(directory, 'src/checkout.js'),
    "import { total } from './cart.js';\nexport const pay = (cart) => total(cart.items);\n",
  );
  commit('Ada', 1, 'feat: carts have totals');
  writeFileSync(join(directory, 'src/cart.js'), CART('sum * items[0].tax.rate'));
  const culprit = commit('Grace', 5, 'feat: totals carry tax');
  writeFileSync(join(directory, 'README.md'), `# ${name}\n`);
  writeFileSync(join(directory, '.env'), 'DATABASE_PASSWORD=hunter2\n');
  writeFileSync(join(directory, 'src/config.js'), CONFIG);
  const head = commit('Ada', 9, 'docs: a readme');
  return { directory, head, culprit };
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...person('Ada') };
}

function person(name: string): Record<string, string> {
  const email = `${name.toLowerCase()}@example.org`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** The crash report of the service. */
export function cartCrash(
  eventId: string,
  head: string,
  value = "Cannot read properties of undefined (reading 'rate')",
) {
  return {
    event_id: eventId,
    message: value,
    platform: 'node',
    release: head,
    exception: {
      values: [
        {
          type: 'TypeError',
          value,
          stacktrace: {
            frames: [
              { filename: 'src/checkout.js', function: 'pay', lineno: 2, colno: 29, in_app: true },
              {
                filename: 'src/cart.js',
                function: 'total',
                lineno: 4,
                colno: 30,
                in_app: true,
                context_line: '  return sum * items[0].tax.rate;',
              },
            ],
          },
        },
      ],
    },
  };
}
