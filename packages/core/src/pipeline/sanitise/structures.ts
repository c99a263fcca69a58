import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import { kindOfKey } from './key-kinds.js';
import { patternRule, type TextRule } from './pattern-rule.js';
import { NEEDS } from './scan.js';
import { isSecretText } from './secret-values.js';

const OPEN = /<(?:[\w-]{1,32}:)?(?<name>[A-Za-z_][\w.-]{1,63})(?:\s[^<>]{0,256})?>/g;
/** A longer text is judged by its first characters. */
const JUDGED_CHARS = 4096;
const CDATA = /\s{0,64}<!\[CDATA\[/y;

/** Finds the value of `<password>…</password>`, with or without namespace, attributes and CDATA, in a text. */
export function findElements(text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  OPEN.lastIndex = 0;
  for (let open = OPEN.exec(text); open !== null; open = OPEN.exec(text)) {
    const { name = '' } = open.groups ?? {};
    spend(STEPS.candidate);
    if (isSpent()) return [...cuts, uncheckedFrom(text, open.index)];
    const kind = kindOfKey(name);
    if (kind === null) continue;
    const { from, to, next } = contentAt(text, OPEN.lastIndex);
    OPEN.lastIndex = next;
    const judged = text.slice(from, Math.min(to, from + JUDGED_CHARS)).trim();
    if (from < to && isSecretText(judged, kind, name)) cuts.push({ from, to, kind });
  }
  return cuts;
}

interface Content {
  readonly from: number;
  readonly to: number;
  /** Where to go on: no character is read twice. */
  readonly next: number;
}

/** The text up to the closing tag, or to the end of a CDATA section. */
function contentAt(text: string, start: number): Content {
  CDATA.lastIndex = start;
  if (CDATA.test(text)) {
    const from = CDATA.lastIndex;
    const end = text.indexOf(']]>', from);
    const to = end < 0 ? text.length : end;
    return { from, to, next: to };
  }
  const end = text.indexOf('<', start);
  const next = end < 0 ? text.length : end;
  return { from: start, to: text.charAt(next + 1) === '/' ? next : start, next };
}

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

const NETRC = patternRule(
  {
    id: 'password',
    what: 'Passwords in a `.netrc`: `machine … login … password …`',
    source: 'The GNU inetutils manual, .netrc',
    needs: NEEDS.login,
    hints: ['machine ', 'default login'],
  },
  /(?<![\w-])(?:machine\s{1,8}[\w.:-]{1,256}|default)\s{1,8}login\s{1,8}\S{1,256}\s{1,8}(?:account\s{1,8}\S{1,256}\s{1,8})?password\s{1,8}(?<s>(?!\[redacted:)\S{1,256})/,
);

/** Names of files end so, before their line. */
const SOURCE_FILE =
  /\.(?:[chmrdt]|cc|cpp|cs|py|rb|go|rs|js|ts|pl|pm|erl|exs?|php|java|kt|swift|lua|[jt]sx|[cm]js|vue|hs|ml|sh|html?)$/i;
const PGPASS = patternRule(
  {
    id: 'password',
    what: 'Lines of a `.pgpass`: `host:5432:database:user:password`',
    source: 'PostgreSQL, The Password File',
    needs: NEEDS.fields,
  },
  /(?<![^\r\n"'`])(?<host>[\w.*-]{1,253}|\/[\w./-]{1,253}):\d{4,5}:[\w*.$-]{1,63}:[\w*.@$-]{1,63}:(?<s>(?!\[redacted:)[^\s"'`]{1,256})(?=$|[\r\n"'`])/,
  (match) => !SOURCE_FILE.test(match.groups?.host ?? ''),
);

const ORACLE = patternRule(
  {
    id: 'url_password',
    what: 'Oracle’s `jdbc:oracle:thin:user/password@host` and `sqlplus user/password@host`',
    source: 'Oracle JDBC Developer’s Guide, SQL*Plus User’s Guide',
    needs: NEEDS.at,
    hints: ['oracle:', 'sqlplus', 'sqlldr', 'expdp', 'impdp'],
  },
  /(?:jdbc:oracle:\w{1,16}:|(?<![\w-])(?:sqlplus|sqlldr|expdp|impdp)\s{1,8}(?:-\w{1,16}\s{1,8}){0,4}(?:\w{1,16}=)?)["']?[\w$#."-]{1,128}\/(?<s>(?!\[redacted:)[^\s@"']{1,256}|"[^"\r\n]{1,256}")@/i,
);

const JWK = patternRule(
  {
    id: 'api_key',
    what: 'The private members of a JSON Web Key: `d`, `p`, `q`, `dp`, `dq`, `qi`, `k` beside `kty`',
    source: 'RFC 7518 §6',
    needs: NEEDS.assign,
    hints: ['kty'],
  },
  /(?<![\w$.-])["']?(?:d|p|q|dp|dq|qi|k)["']?\s{0,4}(?::|=>?)\s{0,8}b?["'](?<s>[\w+/-]{16,4096}={0,2})["']/,
);

const APP_TOKEN = patternRule(
  {
    id: 'facebook_token',
    what: 'Facebook’s token of an application: its number, `|` and a secret',
    source: 'developers.facebook.com access tokens',
    needs: NEEDS.card,
    hints: ['|'],
  },
  /(?<![\w.-])\d{15,16}\|(?<s>[\w-]{24,40})(?![\w-])/,
);

const SECRET_KIND = /(?<![\w.-])kind["']?\s{0,4}:\s{0,4}["']?Secret(?!\w)/;
/** The block of `data` in YAML, and the object in JSON. */
const SECRET_DATA =
  /(?:^|[\r\n])(?<indent>[ \t]{0,32})(?:data|stringData):[ \t]{0,8}\r?\n(?<yaml>(?:\k<indent>[ \t]{1,32}[^\r\n]{0,8192}(?:\r?\n|$)){1,256})|"(?:data|stringData)"\s{0,8}:\s{0,8}\{(?<json>[^{}]{1,65536})\}/dg;
const DATA_VALUE =
  /(?:^|[\r\n])[ \t]{1,64}[\w.-]{1,253}:[ \t]{1,8}(?<yaml>[^\s|>][^\r\n]{0,8192})|(?:^|[\r\n])[ \t]{1,64}(?<line>[A-Za-z0-9+/]{16,}={0,2})(?=[\r\n]|$)|:\s{0,8}"(?<json>[^"\\]{1,8192})"/dg;

const KUBERNETES: TextRule = {
  id: 'secret',
  what: 'The values of a Kubernetes `Secret`, in YAML or JSON',
  source: 'kubernetes.io, Secrets',
  needs: NEEDS.assign,
  hints: ['Secret'],
  find: (text) => {
    if (!SECRET_KIND.test(text)) return NO_CUTS;
    const cuts: Cut[] = [];
    for (const { indices } of text.matchAll(SECRET_DATA)) {
      const [from, to] = indices?.groups?.yaml ?? indices?.groups?.json ?? [0, 0];
      for (const { indices: places } of text.slice(from, to).matchAll(DATA_VALUE)) {
        const [first, last] = places?.groups?.yaml ?? places?.groups?.line ?? places?.groups?.json ?? [0, 0];
        const value = text.slice(from + first, from + last);
        if (isSecretText(value, 'secret', ''))
          cuts.push({ from: from + first, to: from + last, kind: 'secret' });
      }
    }
    return cuts;
  },
};

/** Secrets that the structure around them tells. */
export const STRUCTURES: readonly TextRule[] = [NETRC, PGPASS, ORACLE, JWK, APP_TOKEN, KUBERNETES];
