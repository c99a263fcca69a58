import { type Cut, NO_CUTS } from './cuts.js';
import { patternRule, type TextRule } from './pattern-rule.js';
import { NEEDS } from './scan.js';
import { isSecretText } from './secret-values.js';

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
