/** Classifies single lines of code with patterns for most languages. Not a parser, because a diff contains fragments. */

const WORD = /[A-Za-z_]\w{2,}/g;

/** Identifiers and words of three or more letters. */
export function wordsOf(line: string): readonly string[] {
  return line.length > 2_000 ? (line.slice(0, 2_000).match(WORD) ?? []) : (line.match(WORD) ?? []);
}

const KEYWORD_DEFINITION =
  /\b(?:def|func|function|fn|fun|sub|class|interface|struct|trait|enum|module|object|defp|defmodule|macro_rules!)\*?\s+(?:\([^()]*\)\s*)?(?:<[^<>]*>\s*)?(?:[A-Za-z_]\w*(?:<[^<>]*>)?\.)*&?([A-Za-z_]\w*[?!]?)\s*(?:<[^<>]*>|\[[^[\]]*\])?\s*(\([^()]*\)?)?/;
const MODIFIER =
  'public|private|protected|internal|static|final|override|virtual|async|abstract|synchronized|export|default|unsafe|extern|inline|const|readonly|get|set';
/** `static int total(int cart)`, and the method `total(cart) {`. */
const TYPED_DEFINITION = new RegExp(
  `^\\s*(?:@\\w+(?:\\([^()]*\\))?\\s+)*(?:(?:${MODIFIER})\\s+)*[A-Za-z_][\\w<>[\\],.?:*&]*\\s+[*&]?([A-Za-z_]\\w*)\\s*(\\([^;]*)$`,
);
const BARE_DEFINITION = /^\s*([A-Za-z_]\w*)\s*(\([^;]*)\{\s*$/;
/** `const total = (cart) => {`, `exports.total = async function (cart) {`, `total: (cart) => 0`. */
const ASSIGNED_DEFINITION =
  /(?:^|[\s.])([A-Za-z_]\w*)\s*(?::[^=:(),{}]{1,80})?[=:]\s*(?:async\s+)?(?:function\b\s*\*?\s*(\([^()]*\)?)|(\([^()]*\))\s*(?::[^=]{1,120})?=>|([A-Za-z_]\w*)\s*=>)/;
const STATEMENT =
  /^\s*(?:return|throw|await|else|new|raise|yield|case|not|and|or|in|delete|typeof|echo|print|goto|assert|if|elif|elsif|unless|while|until|for|when|switch|catch|with)\b/;
const CONTROL =
  /^(?:if|for|while|switch|catch|return|throw|else|elif|unless|assert|with|when|until|await|yield|raise|and|or|not|in|new|sizeof|typeof|case|do|try|except|print)$/;

export interface Definition {
  readonly name: string;
  /** The text of the parameters that are on this line. */
  readonly parameters: string;
}

/** The function, method or type whose definition starts on the line. */
export function definitionIn(line: string): Definition | null {
  if (STATEMENT.test(line)) return null;
  const head = line.replace(/\)\s*=>.*$/, ')');
  const typed = () =>
    /[{)(,:]\s*$/.test(head) ? (TYPED_DEFINITION.exec(head) ?? BARE_DEFINITION.exec(line)) : null;
  const found = KEYWORD_DEFINITION.exec(line) ?? ASSIGNED_DEFINITION.exec(line) ?? typed();
  const name = found?.[1];
  if (found === null || name === undefined || CONTROL.test(name)) return null;
  const parameters = found[2] ?? found[3] ?? found[4] ?? '';
  return { name, parameters: parameters.replace(/\s+/g, '') };
}

const ASSIGNMENT =
  /^\s*(?:(?:const|let|var|val|final|static|private|public|protected|readonly|export|auto|mut|my|our|local)\s+)*(?:[A-Za-z_][\w<>[\],.?]*\s+)?(?:(?:self|this|cls|\w+)(?:\.|->|::)|@{1,2}|\$(?:this->)?)*['"]?([A-Za-z_]\w*)['"]?\s*(?::[^=:]+)?(?::=|=(?![=~>])|\+=|\|\|=|\?\?=|:\s|=>)/;

/** The variable, field or key that the line assigns. */
export function assignedIn(line: string): string | null {
  return ASSIGNMENT.exec(line)?.[1] ?? null;
}

const GUARD =
  /\b(?:if|unless|elif|elsif|when|while|guard|assert|try|except|catch|rescue|ensure|finally|isinstance|hasattr|getattr|instanceof|is None|not None|nil\?|present\?|blank\?|respond_to\?|isset|empty|Optional|ofNullable|getOrElse|unwrap_or\w*|null|nullptr|undefined)\b|\?\.|\?\?|&&|\|\||&\.|\.get\(|[!=]=|\bor\b|\band\b|\?[^:]*:/;

/** True: the line contains a condition, or a fallback for a missing value. */
export function isGuard(line: string): boolean {
  return GUARD.test(line);
}

const RAISE =
  /\b(?:raise|throw|throws|panic|fail|fatal|abort|assert\w*|reject|die|error|Errorf?|require|check\w*|unreachable|todo|expect)\b!?|\bnew \w*(?:Error|Exception)\b/;

/** True: the line raises an error, or calls something that may. */
export function isRaise(line: string): boolean {
  return RAISE.test(line);
}

const IMPORT =
  /^\s*(?:import|from|use|using|require|require_relative|require_once|include)\b|\brequire\(|^\s*#\s*include\b|^\s*@import\b/;

export function isImport(line: string): boolean {
  return IMPORT.test(line);
}

const MISSING = /(?:=|:|\breturn|=>)\s*(?:None|nil|null|undefined|nullptr|NULL)\s*[;,)]?\s*$/;

/** True: the line assigns or returns a missing value. */
export function givesMissing(line: string): boolean {
  return MISSING.test(line);
}
