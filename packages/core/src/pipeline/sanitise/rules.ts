import { findAssignments } from './assignments.js';
import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { cardsIn, isIban } from './checksums.js';
import { uniteCuts } from './cuts.js';
import { ISSUER_TOKENS, type IssuerToken } from './issuers.js';
import { type Accept, issuedRule, patternRule, type TextRule } from './pattern-rule.js';
import { findPrivateKeys } from './private-keys.js';
import { NEEDS } from './scan.js';
import { isSecretText } from './secret-values.js';
import { DRIVER_PASSWORD, findElements, OPTION_PASSWORD, STRUCTURES } from './structures.js';

const PEM: TextRule = {
  id: 'private_key',
  what: 'PEM, PGP and PuTTY private keys, including truncated ones',
  source: 'RFC 7468, RFC 9580; PuTTY’s manual, appendix C',
  needs: NEEDS.dashes,
  find: findPrivateKeys,
};

const URL_PASSWORD = patternRule(
  {
    id: 'url_password',
    what: 'The password of scheme://user:password@host, also with / ? # in it',
    source: 'RFC 3986 §3.2.1; Relay’s urlauth',
    needs: NEEDS.at | NEEDS.address,
  },
  // The second form begins with neither a port nor a path, and ends before the first @ that a host follows.
  /:\\{0,2}\/\\{0,2}\/[^\s/:@"'<>?#[\]]{0,256}:(?:(?<s>[^\s/"'<>?#]{1,2048})@(?=[\w.[*$%{/-])|(?!\d{1,5}[,/?#]|[/\\])(?<t>[^\s"'<>]{1,256}?)@(?=[\w-]+(?:\.[\w-]+)*(?::\d|[/?#\s"'),;]|$)))/,
  (match) => !(match.groups?.s ?? match.groups?.t ?? '').includes('[redacted:'),
);

/** Addresses of Sentry projects, whose key is public, end in a number. */
const URL_TOKEN = patternRule(
  {
    id: 'url_password',
    what: 'A token of at least 20 characters in the place of the user: https://TOKEN@host',
    source: 'learn.microsoft.com, Azure DevOps personal access tokens; docs.github.com',
    needs: NEEDS.at | NEEDS.address,
  },
  /https?:\\{0,2}\/\\{0,2}\/(?=[A-Za-z_-]{0,256}\d)(?=[\d_-]{0,256}[A-Za-z])(?<s>[\w-]{20,256})(?::(?:x-oauth-basic|x)?)?@(?![\w.-]{1,256}(?::\d{1,5})?(?:\/[\w-]{1,64}){0,4}\/\d{1,20}(?![\w/-]))(?=[\w-]+\.)/,
);

const HTTP_AUTH = patternRule(
  { id: 'auth', what: 'Bearer and Basic credentials', source: 'RFC 6750, RFC 7617', needs: NEEDS.scheme },
  /(?<![A-Za-z0-9])(?<scheme>bearer|basic)[ \t]{1,4}(?<s>[\w.~+/-]{6,}={0,2})/i,
  (match) => {
    const value = match.groups?.s ?? '';
    if (/^bearer$/i.test(match.groups?.scheme ?? '')) return value.length >= 8 && /\d|.{20}/.test(value);
    return isBasic(value);
  },
);

function isBasic(value: string): boolean {
  const start = value.slice(0, 1024);
  // An exception for each word would cost more than all rules together.
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(start) && isWholeBase64(start);
  return isBase64 && /^[^:\p{C}]{0,256}:[^\p{C}]*$/u.test(atob(start));
}

/** The lengths that `atob` takes. */
function isWholeBase64(text: string): boolean {
  const { length } = text.replace(/=+$/, '');
  return text.length === length ? length % 4 !== 1 : text.length % 4 === 0;
}

const USER_OPTION = patternRule(
  {
    ...{ id: 'auth', what: 'curl’s `-u user:password`, also as items of a list' },
    ...{ source: 'curl.se/docs', needs: NEEDS.user },
  },
  /(?<=(?:^|[\s"'])(?:-u|--(?:proxy-)?user)(?:[ =]|["'], ?(?=["']))["']?[^\s:"'[\]]{1,64}:)(?<s>[^\s"'[\]]{1,256})/,
  (match) => /\D/.test(match[0]),
);

/** What SQL names a password without a separator. */
const SQL_PASSWORD = patternRule(
  {
    id: 'password',
    what: 'Passwords in SQL: `IDENTIFIED BY …`, `PASSWORD …` before a quoted text',
    source: 'MySQL, Oracle: CREATE USER; PostgreSQL: CREATE ROLE',
    needs: NEEDS.sql,
  },
  /(?<![\w$.])(?:identified[ \t](?:with\s{1,8}[\w'"`$.-]{1,64}\s{1,8})?(?:by|as)\s{1,8}(?:password\s{1,8})?|password[ \t]{1,3})(?:'(?<s>(?:[^'\\\r\n]|\\.|''){1,1024})|"(?<t>(?:[^"\\\r\n]|\\.|""){1,1024}))/i,
  (match) => isSecretText((match.groups?.s ?? match.groups?.t ?? '').trim(), 'password', 'password'),
);

/** The same without quotes: only in a statement, or where no word could be, because prose has `identified by`, too. */
const SQL_BARE_PASSWORD = patternRule(
  {
    id: 'password',
    what: 'Passwords in SQL without quotes: `IDENTIFIED BY pw1`',
    source: 'Oracle: CREATE USER; MariaDB: IDENTIFIED BY PASSWORD',
    needs: NEEDS.sql,
  },
  /(?<![\w$.])identified[ \t](?:with\s{1,8}[\w'"`$.-]{1,64}\s{1,8})?by\s{1,8}(?:password\s{1,8}|values\s{1,8})?(?<s>(?!\[redacted:)[^\s'"`();,<>]{1,256})/i,
  ({ input, index, groups }) => {
    const value = groups?.s ?? '';
    const before = input.slice(Math.max(0, index - STATEMENT_CHARS), index);
    const isStatement = /(?:create|alter)\s{1,8}(?:user|role)|grant\s/i.test(before);
    return (isStatement || /[\d$#!@]/.test(value)) && isSecretText(value, 'password', 'password');
  },
);
const STATEMENT_CHARS = 256;

const ASSIGNED: TextRule = {
  id: 'assignment',
  what: 'Values next to a sensitive name in a text: `password=…`, `"token": "…"`, `?sig=…`, `--secret …`; the id is the name’s kind',
  source: 'sentry#76846: messages are exempt from key rules elsewhere',
  needs: NEEDS.assign,
  find: findAssignments,
};

const ELEMENT: TextRule = {
  id: 'element',
  what: 'Values in XML: `<password>…</password>`; the id is the name’s kind',
  source: 'SOAP faults and WS-Security headers in messages',
  needs: NEEDS.element,
  find: findElements,
};

/** Dots separate digits in decimals, versions and addresses: only the usual groups are cards. */
const DOTTED_CARD = /(?<![\w.+#-])(?:\d{4}(?:\.\d{4}){3}(?:\.\d{3})?|\d{4}\.\d{6}\.\d{4,5})(?!\w|\.\d)/g;
const CARD_ROW = /(?<![\w.+#-]|\d[ .-])\d(?:[ -]?\d){12,}(?![\w]|\.\d)/g;
const CARD: TextRule = {
  id: 'card',
  what: 'Payment cards: 13–19 digits of a known scheme with a valid Luhn checksum',
  source: 'ISO/IEC 7812; sentry#1518 for the missing check',
  needs: NEEDS.card,
  find: (text) =>
    uniteCuts(
      [CARD_ROW, DOTTED_CARD].flatMap((row) =>
        [...text.matchAll(row)].flatMap((found) => {
          spend(STEPS.digit * found[0].length);
          return isSpent() ? [uncheckedFrom(text, found.index)] : cardsIn(found[0], found.index);
        }),
      ),
    ),
};

const SSN = patternRule(
  { id: 'ssn', what: 'US social security numbers', source: 'ssa.gov; Relay’s usssn', needs: NEEDS.ssn },
  /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/,
);
const IBAN = patternRule(
  { id: 'iban', what: 'Bank accounts with a valid checksum', source: 'ISO 13616', needs: NEEDS.iban },
  /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/,
  (match) => isIban(match[0]),
);

const FILE_ENDINGS =
  /\.(?:png|jpe?g|gif|svg|webp|ico|[cm]?[jt]sx?|json|map|css|s[ac]ss|html?|java|php|dll|exe|jar|whl|t?gz|lock|ya?ml|xml|txt|log)$/i;
const HOST_AFTER = /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![\w-])/y;

/** Host names in file names, such as `example.com.txt`. Two letters are a country or a file extension. */
const MAIL_HOST = /\.(?:com|org|net|edu|gov|info|biz|io|dev|(?!js|ts|cs|rs|py|rb|md|sh|so)[a-z]{2})$/i;

function isFileName(host: string): boolean {
  const name = host.replace(FILE_ENDINGS, '');
  return name !== host && !MAIL_HOST.test(name);
}

/** Checks what follows each @ instead of looking for a mailbox at each word. */
function hasHostAfterAt(text: string): boolean {
  for (const at of ['@', '%40']) {
    for (let index = text.indexOf(at); index >= 0; index = text.indexOf(at, index + 1)) {
      HOST_AFTER.lastIndex = index + at.length;
      if (HOST_AFTER.test(text)) return true;
    }
  }
  return false;
}

export const EMAIL = patternRule(
  {
    id: 'email',
    what: 'E-mail addresses',
    source: 'RFC 5321; env-node11-exception fixture',
    needs: NEEDS.at,
    mayMatch: hasHostAfterAt,
  },
  /(?<![\w.%+-])[\w.%+-][\w.%+'-]{0,63}(?:@|%40)(?<host>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24})(?![\w-])/,
  (match) => {
    const host = match.groups?.host ?? '';
    const before = match.input.slice(Math.max(0, match.index - 3), match.index);
    if (before === '://' || match[0].startsWith('git@')) return false;
    // A decorator or annotation in a diff, `+@app.route`, and Kotlin’s `this@Outer.member`.
    if (/^(?:[.%+'-]*|this|super|return|break|continue)@/.test(match[0])) return false;
    return !/^\d+(?:x\.|\.\d)/.test(host) && !isFileName(host);
  },
);

/** Accounts that are not people's. */
const SERVICE_ACCOUNTS =
  /^(?:app|application|node|user|users|ubuntu|debian|centos|fedora|ec2-user|admin|administrator|root|runner|runneradmin|ci|circleci|travis|jenkins|vsts|build|builder|deploy|deployer|web|www|www-data|site|server|service|public|shared|default|guest|docker|git|gitpod|codespace|vagrant|python|ruby|rails|go|java|php|sbx_user\d*|containeruser|linuxbrew|nobody|\.{1,2})$/i;
const isPerson: Accept = (match) => !SERVICE_ACCOUNTS.test(match.groups?.s ?? match.groups?.t ?? '');
const HOME = { id: 'user', source: 'bugsink#243; paths keep their suffix, so that code mapping still works' };
const HOME_UNIX = patternRule(
  { ...HOME, what: 'The account name in /home/NAME/ and /Users/NAME/', needs: NEEDS.home },
  /(?<![\w.~-])(?:\\{0,2}\/(?:var|usr|export|mnt\\{0,2}\/[a-z]|cygdrive\\{0,2}\/[a-z]|[a-z]))?\\{0,2}\/(?:home|Users)\\{0,2}\/(?<s>[^/\s'"`:<>|*?()[\]{}\\,;&=]{1,64})(?=\\{0,2}\/)/,
  isPerson,
);
const HOME_WINDOWS = patternRule(
  { ...HOME, what: 'The account name in C:\\Users\\NAME', needs: NEEDS.home },
  /(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}(?:Users|Documents and Settings)[\\/]{1,4}(?:(?<s>[^\\/:*?"'<>|\r\n[\]]{1,64})(?=[\\/])|(?<t>[\w.-]{1,64}))/i,
  isPerson,
);

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
export const IP = patternRule(
  {
    id: 'ip',
    what: 'IPv4 and IPv6 addresses',
    source: 'RFC 791, RFC 4291; Relay’s @ip',
    needs: NEEDS.address,
  },
  new RegExp(
    `(?<![\\w.:-])(?:${OCTET}(?:\\.${OCTET}){3}(?![\\w-]|\\.\\d)|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:${OCTET}(?:\\.${OCTET}){3})?(?![\\w:]))`,
    'i',
  ),
  (match) => match[0].includes('.') || match[0].includes('::') || match[0].split(':').length === 8,
);

/** In the order of use: rules whose matches may contain others come first. */
export const textRulesFor = (issuers: readonly IssuerToken[]): readonly TextRule[] => [
  PEM,
  URL_PASSWORD,
  URL_TOKEN,
  DRIVER_PASSWORD,
  issuedRule(issuers),
  ...STRUCTURES,
  HTTP_AUTH,
  USER_OPTION,
  OPTION_PASSWORD,
  SQL_PASSWORD,
  SQL_BARE_PASSWORD,
  ASSIGNED,
  ELEMENT,
  CARD,
  SSN,
  IBAN,
  HOME_UNIX,
  HOME_WINDOWS,
];

export const TEXT_RULES = textRulesFor(ISSUER_TOKENS);
