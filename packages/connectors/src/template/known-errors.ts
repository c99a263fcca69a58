import type { Claim, EvidenceItem, ExplainRequest } from '@culprit/core/connector';
import { EXCEPTION_LABELS } from '@culprit/core/internal/domain/explanation';
import { MEANINGS } from '@culprit/core/internal/pipeline/explain/phrases';
import type { Quotes } from './quotes.js';

const KNOWN_ERRORS: readonly { readonly pattern: RegExp; readonly means: keyof typeof MEANINGS }[] = [
  {
    pattern: /Cannot (?:read|set) propert(?:y|ies) .{0,40}?of (?:undefined|null)|'?NoneType'? object/,
    means: 'missingObject',
  },
  {
    pattern:
      /NullPointerException|NullReferenceException|nil pointer dereference|undefined method .{1,60} for nil/,
    means: 'missingObject',
  },
  { pattern: /\w{1,60} is not a function|object is not callable/, means: 'notAFunction' },
  { pattern: /\w{1,60} is not defined|undefined local variable or method/, means: 'undefinedName' },
  { pattern: /KeyNotFoundException|KeyError|Undefined array key|key not found/, means: 'missingKey' },
  {
    pattern: /(?:index|slice bounds) out of (?:range|bounds)|IndexOutOfBounds|IndexError|index out of bounds/,
    means: 'outOfRange',
  },
  {
    pattern:
      /could not convert string to float|invalid literal for int\(\)|NumberFormatException|invalid digit found/,
    means: 'notANumber',
  },
  {
    pattern: /ClassCastException|must be of (?:the )?type .{1,80}|unsupported operand type/,
    means: 'wrongType',
  },
  {
    pattern: /JSONDecodeError|in JSON at position|is not valid JSON|JSON::ParserError/,
    means: 'invalidJson',
  },
  { pattern: /ZeroDivisionError|division by zero|divide by zero|\/ by zero/, means: 'divisionByZero' },
  {
    pattern: /Maximum call stack size|StackOverflow|RecursionError|stack level too deep/,
    means: 'stackOverflow',
  },
  { pattern: /OutOfMemory|heap out of memory|MemoryError|Allowed memory size/, means: 'outOfMemory' },
  { pattern: /ENOENT|No such file or directory|FileNotFound/, means: 'fileNotFound' },
  { pattern: /EACCES|EPERM|Permission denied|PermissionError/, means: 'accessDenied' },
  { pattern: /ENOSPC|No space left on device/, means: 'diskFull' },
  { pattern: /EADDRINUSE|Address already in use/, means: 'addressInUse' },
  {
    pattern: /ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|Connection refused|SocketTimeout|connect timed out/,
    means: 'serviceUnreachable',
  },
  { pattern: /SIGSEGV|EXC_BAD_ACCESS|ACCESS_VIOLATION|Segmentation fault/, means: 'invalidMemory' },
];

/** The meaning of the error or of a cause, if it is a well-known one; causes first. */
export function knownError({ evidence }: ExplainRequest, quotes: Quotes): readonly Claim[] {
  const causes = evidence.filter(
    ({ label }) => label === EXCEPTION_LABELS.cause || label === EXCEPTION_LABELS.member,
  );
  for (const item of [...causes, ...(quotes.thrown ? [quotes.thrown] : [])]) {
    const claim = meaningOf(item, quotes);
    if (claim !== null) return [claim];
  }
  return [];
}

function meaningOf({ id, text }: EvidenceItem, quotes: Quotes): Claim | null {
  for (const { pattern, means } of KNOWN_ERRORS) {
    const found = pattern.exec(text.slice(0, 500));
    const citation = found && quotes.text(id, found[0]);
    if (citation) return { text: MEANINGS[means], cites: [citation] };
  }
  return null;
}

/** A missing value, named as in its line of code. */
interface MissingValue {
  readonly value: string;
  /** `undefined`, `null`, `None` or `nil`. */
  readonly state: string;
  /** The property or method that was accessed. */
  readonly member: string;
  readonly how: 'read' | 'set' | 'called';
}

interface Message {
  readonly pattern: RegExp;
  readonly how: MissingValue['how'];
  /** Set if the pattern does not capture it. */
  readonly state?: string;
}

/** The messages of V8, Firefox, Python and Ruby. */
const MESSAGES: readonly Message[] = [
  {
    pattern: /Cannot read propert(?:ies|y) of (?<state>undefined|null) \(reading '(?<member>[\w$]+)'\)/,
    how: 'read',
  },
  {
    pattern: /Cannot set propert(?:ies|y) of (?<state>undefined|null) \(setting '(?<member>[\w$]+)'\)/,
    how: 'set',
  },
  { pattern: /Cannot read property '(?<member>[\w$]+)' of (?<state>undefined|null)/, how: 'read' },
  { pattern: /Cannot set property '(?<member>[\w$]+)' of (?<state>undefined|null)/, how: 'set' },
  { pattern: /can't access property "(?<member>[\w$]+)", .{1,80} is (?<state>undefined|null)/, how: 'read' },
  { pattern: /'NoneType' object has no attribute '(?<member>\w+)'/, how: 'read', state: 'None' },
  { pattern: /undefined method [`'](?<member>\w+[?!=]?)' for nil/, how: 'called', state: 'nil' },
];
const LONGEST_LINE = 400;

/**
 * The value that was missing: `voucher` in `voucher.percent` if the error says that `percent` was accessed. `null` if the
 * line has two such values or the value has no name.
 */
export function missingValue(error: string, line: string): MissingValue | null {
  for (const { pattern, how, state: known } of MESSAGES) {
    const groups = pattern.exec(error.slice(0, 500))?.groups;
    const state = groups?.state ?? known;
    const member = groups?.member;
    if (state === undefined || member === undefined) continue;
    const value = ownerOf(member, line.slice(0, LONGEST_LINE));
    return value === null ? null : { value, state, member, how };
  }
  return null;
}

function ownerOf(member: string, line: string): string | null {
  const name = '[A-Za-z_$@][\\w$]*';
  const escaped = member.replace(/[$?!]/g, '\\$&');
  const owners = new RegExp(`(?<![\\w$.\\])@?!"'])(${name}(?:\\.${name})*)\\.${escaped}(?![\\w$])`, 'g');
  const found = new Set([...line.matchAll(owners)].map(([, owner]) => owner ?? ''));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : null;
}
