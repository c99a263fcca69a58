/** The kind of secret that a member's name indicates; the id in `[redacted:kind]`. */
export type KeyKind =
  | 'password'
  | 'secret'
  | 'token'
  | 'api_key'
  | 'auth'
  | 'cookie'
  | 'session_id'
  | 'code'
  | 'ssn'
  | 'card'
  | 'iban';

/** Every name of a kind has one of these in it, or a character outside ASCII. */
export const TELLING_PARTS: readonly string[] = (
  'pass pw secret token auth cred cookie sess sid key csrf xsrf jwt bearer otp 2fa mfa factor pin cvv cvc cvn code ssn social ' +
  'card ccn iban saml asserti bundle_ kennw contras senha wachtw hasl losen adgang salas jelsz heslo parol sifre kodeord ' +
  'slaptaz lozin geslo sandi'
).split(' ');
/** A first test that most names fail. */
const TELLING = new RegExp(`${TELLING_PARTS.join('|')}|[^ -~]`, 'i');

function foreign(words: string): readonly (readonly [string, KeyKind])[] {
  return words.split(' ').map((word) => [word, 'password']);
}

/** Words that make a name sensitive. */
export const KEY_NAMES: ReadonlyMap<string, KeyKind> = new Map<string, KeyKind>([
  ['pass', 'password'],
  ['pwd', 'password'],
  ['passphrase', 'password'],
  ['passcode', 'password'],
  ['secrets', 'secret'],
  ['tokens', 'token'],
  ['jwt', 'token'],
  ['bearer', 'token'],
  ['csrf', 'token'],
  ['xsrf', 'token'],
  ['auth', 'auth'],
  ['authorization', 'auth'],
  ['authentication', 'auth'],
  ['credential', 'auth'],
  ['credentials', 'auth'],
  ['creds', 'auth'],
  ['cookie', 'cookie'],
  ['cookies', 'cookie'],
  ['setcookie', 'cookie'],
  ['sessionid', 'session_id'],
  ['sessid', 'session_id'],
  ['phpsessid', 'session_id'],
  ['jsessionid', 'session_id'],
  ['sessionkey', 'session_id'],
  ['otp', 'code'],
  ['totp', 'code'],
  ['2fa', 'code'],
  ['mfa', 'code'],
  ['pin', 'code'],
  ['pincode', 'code'],
  ['cvv', 'code'],
  ['cvc', 'code'],
  ['cvn', 'code'],
  ['cvv2', 'code'],
  ['ssn', 'ssn'],
  ['creditcard', 'card'],
  ['cardnumber', 'card'],
  ['ccnumber', 'card'],
  ['ccn', 'card'],
  ['iban', 'iban'],
  ['samlresponse', 'token'],
  ['samlart', 'token'],
  ...foreign('senha haslo heslo parola parool sifre passord kodeord geslo katasandi matkhau'),
]);

/** Pairs of words that make a name sensitive. */
export const KEY_NAME_PAIRS: ReadonlyMap<string, KeyKind> = new Map<string, KeyKind>([
  ['session id', 'session_id'],
  ['session key', 'session_id'],
  ['connect sid', 'session_id'],
  ['two factor', 'code'],
  ['verification code', 'code'],
  ['security code', 'code'],
  ['auth code', 'auth'],
  ['social security', 'ssn'],
  ['credit card', 'card'],
  ['card number', 'card'],
  ['cc number', 'card'],
  ['de passe', 'password'],
  ['palavra passe', 'password'],
  ['kata sandi', 'password'],
  ['saml response', 'token'],
  ['saml assertion', 'token'],
  ['client assertion', 'token'],
  ['gitlab session', 'session_id'],
]);

/** Parts of words for a password, without accents. */
export const PASSWORD_WORDS: readonly string[] =
  'password passwd passwort kennwort contrasen wachtwoord losenord adgangskode salasana jelszo motdepasse slaptazod lozink'.split(
    ' ',
  );
/** The same in other scripts: Russian and its neighbours, Chinese, Japanese, Korean, Hebrew, Arabic, Vietnamese, Greek, Thai, Hindi. */
const OTHER_SCRIPTS =
  /парол|密码|密碼|口令|パスワード|비밀번호|암호|סיסמ|كلمة (?:ال)?(?:مرور|سر)|mat khau|συνθηματικ|κωδικος προσβασης|รหัสผ่าน|पासवर्ड/;
/** `BUNDLE_GEMS__EXAMPLE__COM`: how Bundler names the credentials of a server. */
const BUNDLER = /^BUNDLE_\w{1,80}__[A-Z]{2,12}$/;

/** Whose keys are credentials: `DATADOG_KEY`. */
const VENDORS = new Set(
  (
    'adafruit airtable algolia alibaba artifactory atlassian aws azure beamer bitbucket bittrex cloudflare codecov cohere coinbase ' +
    'confluent contentful datadog discord dropbox etsy facebook fastly finicity finnhub flickr freshbooks gocardless grafana ' +
    'heroku hubspot intercom jfrog kraken kucoin launchdarkly linkedin lob looker mailchimp mailgun mapbox meraki messagebird netlify ' +
    'newrelic nytimes okta openai anthropic plaid rapidapi sendbird sendgrid slack snyk sonar squarespace stripe sumo sumologic ' +
    'telegram travis twilio twitch twitter typeform yandex zendesk'
  ).split(' '),
);

/** `x key` or `xkey` is a credential for these words, unlike `public`, `primary`, `cache` or `sort`. */
const KEY_OWNERS = new Set(
  'api private secret access encryption signing account master shared ssh app service subscription storage'.split(
    ' ',
  ),
);

/** `x keys` or `xkeys` holds credentials for these words; `storage keys` or `account keys` are names and addresses. */
const KEYS_OWNERS = new Set(['api', 'private', 'secret']);

/** A name with such an ending describes a credential: `token_type`, `password_changed_at`. */
export const ABOUT_NAMES: readonly string[] = (
  'type types count counts length len size limit limits name names url uri endpoint path file dir expiry expires ' +
  'expired expiration ttl at on in age policy policies rule rules field fields input provider providers method ' +
  'methods strategy scheme mode status state enabled disabled required valid invalid error errors usage used budget ' +
  'format algorithm alg header prefix version hint strength attempts backend class module middleware domain scope ' +
  'scopes index position kind label service server host user username flow level failed ok samesite secure'
).split(' ');
const ABOUT = new Set(ABOUT_NAMES);
const QUESTIONS = new Set('has is max min num total needs requires require should can'.split(' '));

const isUpper = (code: number) => code >= 65 && code <= 90;
const isLower = (code: number) => code >= 97 && code <= 122;
const isDigit = (code: number) => code >= 48 && code <= 57;

/** `X-Api_keyName` → x api key name. Also splits at changes of case. */
function words(name: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at <= name.length; at++) {
    const code = name.charCodeAt(at);
    if (!isUpper(code) && !isLower(code) && !isDigit(code)) {
      if (at > from) found.push(name.slice(from, at).toLowerCase());
      from = at + 1;
      continue;
    }
    if (at === from || !isUpper(code)) continue;
    const before = name.charCodeAt(at - 1);
    if (isUpper(before) && !isLower(name.charCodeAt(at + 1))) continue;
    found.push(name.slice(from, at).toLowerCase());
    from = at;
  }
  return found;
}

/** `dbpass` and `mysqlpw` are passwords; `compass` and `bypass` are words. */
const PASS_OWNERS = new Set(
  'db database user usr admin root my mysql pg postgres mongo redis sql smtp imap mail email ftp sftp ssh ldap rabbit amqp mqtt proxy http key store keystore truststore login auth sudo wifi app'.split(
    ' ',
  ),
);
const PASS_ENDINGS = ['pass', 'pwd', 'pw'];
const LONG_KEYS = ['apikey', 'secretkey', 'privatekey', 'accesskey', 'encryptionkey'];

/** What comes before the ending; `null` if the word has none, or nothing comes before. */
function before(word: string, endings: readonly string[]): string | null {
  const ending = endings.find((one) => word.endsWith(one) && word.length > one.length);
  return ending === undefined ? null : word.slice(0, -ending.length);
}

function ofWord(numbered: string): KeyKind | null {
  const known = KEY_NAMES.get(numbered);
  if (known) return known;
  // `password1`, `apikey2`: but `cvv2` and `2fa` are whole words.
  const isNumbered = isDigit(numbered.charCodeAt(numbered.length - 1)) && /[a-z]{3}\d{1,3}$/.test(numbered);
  const word = isNumbered ? numbered.replace(/\d+$/, '') : numbered;
  if (word === 'pwd' || PASSWORD_WORDS.some((part) => word.includes(part))) return 'password';
  if (PASS_OWNERS.has(before(word, PASS_ENDINGS) ?? '')) return 'password';
  if (word.endsWith('secret')) return 'secret';
  if (word.endsWith('token')) return 'token';
  if (KEY_OWNERS.has(before(word, ['key']) ?? '') || before(word, LONG_KEYS) !== null) return 'api_key';
  if (KEYS_OWNERS.has(before(word, ['keys']) ?? '')) return 'api_key';
  return null;
}

function isOwnedKey(owner: string, word: string): boolean {
  return (word === 'key' && KEY_OWNERS.has(owner)) || (word === 'keys' && KEYS_OWNERS.has(owner));
}

/**
 * The kind of a name, or `null`. By words: `auth` is sensitive, `author` is not. Names over 200 characters have no
 * kind.
 */
export function kindOfKey(given: string): KeyKind | null {
  if (given.length > 200 || !TELLING.test(given)) return null;
  if (given === 'sid') return 'session_id';
  if (BUNDLER.test(given)) return 'auth';
  const isForeign = /[^ -~]/.test(given);
  const name = isForeign ? withoutAccents(given) : given;
  if (isForeign && OTHER_SCRIPTS.test(name)) return 'password';
  const parts = words(name);
  const last = parts.at(-1) ?? '';
  if (parts.length > 1) {
    if (ABOUT.has(last) || QUESTIONS.has(parts[0] ?? '')) return null;
    if (last === 'id' && parts.at(-2) === 'key') return null;
  }
  let found: KeyKind | null = null;
  for (const [index, word] of parts.entries()) {
    const pair = `${parts[index - 1]} ${word}`;
    found ??= KEY_NAME_PAIRS.get(pair) ?? (isOwnedKey(parts[index - 1] ?? '', word) ? 'api_key' : null);
  }
  for (const word of parts) found ??= ofWord(word);
  if (last === 'key' && parts.some((word) => VENDORS.has(word))) found ??= 'api_key';
  // Only at the end: `PW_TEST` configures Playwright.
  return found ?? (parts.length > 1 && last === 'pw' ? 'password' : null);
}

/** `Contraseña` → `contrasena`: also letters that are no base letter with an accent. */
function withoutAccents(name: string): string {
  const plain = name.normalize('NFD').replace(/(?<=[A-Za-z\u0370-\u03ff]\p{M}{0,3})\p{M}/gu, '');
  return plain.normalize('NFC').replace(/[łŁ]/g, 'l').replace(/ı/g, 'i').toLowerCase();
}

/** Keys whose value is the address of a person's device. */
export function isAddressKey(name: string): boolean {
  if (name.length > 40 || !/addr|_ip$|[-_]for$|-ip$/i.test(name)) return false;
  return ADDRESS_KEYS.has(name.toLowerCase().replaceAll('-', '_'));
}
const ADDRESS_KEYS = new Set([
  'ip_address',
  'remote_addr',
  'http_x_forwarded_for',
  'http_client_ip',
  'http_x_real_ip',
  'x_forwarded_for',
  'x_real_ip',
  'client_ip',
  'cf_connecting_ip',
  'true_client_ip',
]);
