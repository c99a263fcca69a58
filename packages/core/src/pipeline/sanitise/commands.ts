import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import type { TextRule } from './pattern-rule.js';
import { NEEDS } from './scan.js';
import { isSecretText } from './secret-values.js';

/** Programs that take a password in a short option: its letter, and whether its value is the next word. */
const COMMANDS: readonly { readonly program: RegExp; readonly option: string; readonly isNext: boolean }[] = [
  { program: /\b(?:mysql|mariadb|sshpass|7za?\b)/i, option: 'p', isNext: false },
  { program: /\b(?:sshpass|mongo)|\blogin\b/i, option: 'p', isNext: true },
  { program: /\b(?:redis-cli|keydb-cli)\b/i, option: 'a', isNext: true },
  { program: /\bldap[a-z]/i, option: 'w', isNext: true },
];
const OPTION =
  /(?<=[\s"'])-(?<option>[apw])(?<gap>(?:["'],\s?["']|\s{1,3}["']?)?)(?<value>(?!-|\[redacted:)[^\s"'`,;|&<>]{1,256})/g;
/** How far before an option its program is looked for, in the same command. */
const COMMAND_CHARS = 256;

/** `mysql -uroot -ppw`, `sshpass -p pw`, `docker login -p pw`, `['redis-cli', '-a', 'pw']`. */
export const OPTION_PASSWORD: TextRule = {
  id: 'password',
  what: 'Passwords in short options: `mysql -p…`, `sshpass -p …`, `docker login -p …`, `redis-cli -a …`, `ldapsearch -w …`',
  source: 'the programs’ manuals',
  needs: NEEDS.option,
  find: (text) => {
    const cuts: Cut[] = [];
    OPTION.lastIndex = 0;
    for (let match = OPTION.exec(text); match !== null; match = OPTION.exec(text)) {
      spend(STEPS.candidate);
      if (isSpent()) return [...cuts, uncheckedFrom(text, match.index)];
      const { option, gap = '', value = '' } = match.groups ?? {};
      const before = text.slice(Math.max(0, match.index - COMMAND_CHARS), match.index);
      const command = before.slice(
        Math.max(...['\n', ';', '|', '&'].map((end) => before.lastIndexOf(end))) + 1,
      );
      const known = COMMANDS.some(
        (one) => one.option === option && one.isNext === (gap !== '') && one.program.test(command),
      );
      const to = match.index + match[0].length;
      if (known && isSecretText(value, 'password', 'p'))
        cuts.push({ from: to - value.length, to, kind: 'password' });
    }
    return cuts;
  },
};

const DRIVER_ADDRESS = /@(?:tcp[46]?|unix|cloudsql(?:conn)?)\(/g;
const PASSWORD_CHARS = 320;

/** `user:pw@tcp(db:3306)/shop`: the password has no end of its own, so it is read backwards from the @. */
export const DRIVER_PASSWORD: TextRule = {
  id: 'url_password',
  what: 'The password of user:password@tcp(host:port)/database',
  source: 'github.com/go-sql-driver/mysql, DSN',
  needs: NEEDS.at | NEEDS.address,
  find: (text) => {
    let cuts: Cut[] | null = null;
    let done = 0;
    DRIVER_ADDRESS.lastIndex = 0;
    for (let match = DRIVER_ADDRESS.exec(text); match !== null; match = DRIVER_ADDRESS.exec(text)) {
      spend(STEPS.candidate);
      if (isSpent()) return [...(cuts ?? []), uncheckedFrom(text, match.index)];
      const start = Math.max(done, match.index - PASSWORD_CHARS);
      done = match.index;
      const found = /(?:^|[\s"'`<>])[^\s"'`<>:]{1,64}:(?<value>[^\s"'`<>]{1,256})$/.exec(
        text.slice(start, done),
      );
      const value = found?.groups?.value ?? '';
      if (value === '' || value.includes('[redacted:')) continue;
      cuts ??= [];
      cuts.push({ from: done - value.length, to: done, kind: 'url_password' });
    }
    return cuts ?? NO_CUTS;
  },
};
