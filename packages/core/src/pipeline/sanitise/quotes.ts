/** What may stand between a separator and the quote: Python’s `b'…'`, C#’s `@"…"`, Rust’s `Some("…")`. */
export const LITERAL = /^(?:[bBuUrRfF]{1,2}|[LN@$]|(?:Some|Optional|Just)(?:\(|[ ]))(?=\\{0,7}["'`])/;

const BACKSLASH = 92;

/**
 * Where the text in the quotes that open at `open` ends: at its closing quote, the backslashes before it excluded. `escapes`
 * backslashes precede the opening quote; quotes within the text have more. Without a closing quote the text ends with its
 * line.
 */
export function closingQuote(text: string, open: number, escapes: number, most: number): number {
  const quote = text.charAt(open);
  const level = 2 * (escapes + 1);
  for (
    let at = text.indexOf(quote, open + 1);
    at >= 0 && at - open <= most;
    at = text.indexOf(quote, at + 1)
  ) {
    let slashes = 0;
    while (at - slashes > open + 1 && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % level > escapes) continue;
    // SQL and CSV double a quote.
    if (slashes === 0 && at > open + 1 && text.charAt(at + 1) === quote && quote === "'") {
      at++;
      continue;
    }
    return at - (slashes % level);
  }
  return lineEnd(text, open + 1);
}

const LINE = /[^\r\n]*/y;

function lineEnd(text: string, from: number): number {
  LINE.lastIndex = from;
  LINE.test(text);
  return LINE.lastIndex;
}
