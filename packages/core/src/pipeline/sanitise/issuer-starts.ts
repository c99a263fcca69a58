/** How the tokens of {@link ISSUER_TOKENS} begin, where they have no dot, slash or `=` before their long run. */
const STARTS =
  'eyJ AKIA ASIA ABIA ACCA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ gl xox xapp- sk_ rk_ whsec_ sk- npm_ pypi- AIza ' +
  'GOCSPX- SK key- dop_ doo_ dor_ shp hf_ dapi lin_ ntn_ secret_ AA sntry NR sq0 ATATT3 dckr_ rubygems_ AGE-';
/** Discord's tokens begin with one of these letters and have a dot after 23 characters or more. */
const DISCORD = 'MNO';
const DISCORD_RUN = 23;

const ANY_START = new RegExp(
  STARTS.split(' ')
    .map((start) => start.replace(/[-]/g, '\\-'))
    .join('|'),
  'y',
);
/** By the first two characters: most words are done with after one look. */
const FIRST_TWO = new Uint8Array(128 * 128);
for (const start of STARTS.split(' ')) {
  FIRST_TWO[start.charCodeAt(0) * 128 + start.charCodeAt(1)] = 1;
}
for (const letter of DISCORD) FIRST_TWO.fill(1, letter.charCodeAt(0) * 128, letter.charCodeAt(0) * 128 + 128);

/**
 * Could a token of a well-known issuer lie in or end with this run of word characters? Law: never false for one that
 * {@link ISSUER_TOKENS} describes and that has its long run here.
 */
export function mayHoldToken(text: string, from: number, to: number): boolean {
  if (from > 0 && followsStart(text, from)) return true;
  let boundary = true;
  for (let index = from; index < to - 1; index++) {
    const code = text.charCodeAt(index);
    if (boundary && FIRST_TWO[(code & 127) * 128 + (text.charCodeAt(index + 1) & 127)] === 1) {
      if (beginsToken(text, index, to)) return true;
    }
    boundary = code === 95 || code === 45;
  }
  return false;
}

function beginsToken(text: string, at: number, to: number): boolean {
  ANY_START.lastIndex = at;
  if (ANY_START.test(text)) return true;
  return to - at >= DISCORD_RUN && text.charAt(to) === '.' && DISCORD.includes(text.charAt(at));
}

/**
 * Tokens in which a `+`, a slash, a `=` or a dot may stand so early that no long run is left, and the name before another
 * such one.
 */
const BROKEN = /whsec_|sntry[su]_|gl(?:sa|c)_|ATATT3|xoxe(?=\.)|AccountKey(?==)/y;
const BROKEN_FIRST = new Uint8Array(128);
for (const letter of 'wsgAx') BROKEN_FIRST[letter.charCodeAt(0)] = 1;
const HOOKS = 'hooks.slack.com/';

/**
 * Could a token go on after this run, which a `+`, `/`, `=` or dot at `to` ends? Law: as for {@link mayHoldToken}, of
 * those that may have no long run at all, and of Slack's hooks, whose host comes long before theirs.
 */
export function mayHoldBrokenToken(text: string, from: number, to: number): boolean {
  let boundary = true;
  for (let index = from; index < to - 2; index++) {
    const code = text.charCodeAt(index);
    if (boundary && BROKEN_FIRST[code & 127] === 1) {
      BROKEN.lastIndex = index;
      if (BROKEN.test(text)) return true;
    }
    boundary = code === 95 || code === 45;
  }
  return text.startsWith(HOOKS, to + 1 - HOOKS.length);
}

/** How `SG.`, `ya29.`, `hvs.` and `xoxe.` end: a look at one character tells most names from them. */
const ENDS_BEFORE_DOT = new Uint8Array(128);
for (const letter of 'G9sbre') ENDS_BEFORE_DOT[letter.charCodeAt(0)] = 1;

/** Tokens whose long run comes after their beginning: `SG.`, `ya29.`, `hvs.`, `AccountKey=`. */
function followsStart(text: string, from: number): boolean {
  const before = text.charCodeAt(from - 1);
  if (before === 46 && ENDS_BEFORE_DOT[text.charCodeAt(from - 2) & 127] === 1) {
    return /(?:SG|ya29|hv[sbr]|xoxe)\.$/.test(text.slice(Math.max(0, from - 5), from));
  }
  return before === 61 && text.endsWith('AccountKey=', from);
}
