import type { LineRole, Reason, ReasonCode, ReasonFact } from '../../domain/suspect.js';
import { codeSpan } from '../draft/safe-markdown.js';

/** The wording of every reason. Each reads on from "This commit"; `{name}` is the parameter of that name. */
const WORDING: Readonly<Record<ReasonCode, string>> = {
  last_changed_line: 'last changed line {line} of {path}, {role}',
  changed_nearby: 'changed code {distance} away from line {line} of {path}, {role}',
  before_formatting: 'precedes formatting commit {sha}, which was skipped',
  moved_from: 'changed this code before it was moved from {from} to {to}{by}',
  signature_changed: 'changed the parameters of {words}',
  definition_removed: 'removed or renamed {words}, which the crashed code uses',
  guard_removed: 'removed a check or fallback for {words}',
  error_raised: 'added code that raises an error about {words}',
  condition_changed: 'changed a condition on {words}',
  value_changed: 'changed the value of {words}, which the crashed code uses',
  callee_changed: 'changed {words}, which the crashed code calls',
  import_changed: 'changed an import of {words}',
  reverts_change: 'reverts or reapplies an earlier change',
  age: 'was committed {days} before the crash',
  in_first_release: 'is in the first release that crashed',
  in_release: 'is {commits} that release {release} brought',
  diff_mentions: 'mentions {words} in its diff',
  message_mentions: 'mentions {words} in its message',
  latest_in_file: 'is the latest change to a file in the stack',
  recent_in_file: 'recently changed a file in the stack',
  touches_file: 'changes a file in the stack',
  touches_directory: 'changes a directory of the stack',
};

const ROLES: Readonly<Record<LineRole, string>> = {
  crashed: 'the crashed line',
  stack: 'a line in the stack',
  cause_thrown: 'where the cause was thrown',
  cause_stack: 'a line in the cause’s stack',
};

type ParametersOf<Fact> = Fact extends ReasonFact ? Omit<Fact, 'code'> : never;
type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Parameters = UnionToIntersection<ParametersOf<ReasonFact>>;

interface Writer<Value> {
  readonly write: (value: Value) => string;
  /** Everything that `write` returns, with `{}` for a code span and `#` for a number. */
  readonly shapes: readonly string[];
}

const MOST_WORDS = 3;

const WRITERS: { readonly [Name in keyof Parameters]: Writer<Parameters[Name]> } = {
  line: { write: String, shapes: ['#'] },
  path: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  from: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  to: { write: (path) => codeSpan(path, 160), shapes: ['{}'] },
  by: { write: (sha) => (sha === null ? '' : ` in ${codeSpan(sha.slice(0, 7))}`), shapes: ['', ' in {}'] },
  sha: { write: (sha) => codeSpan(sha.slice(0, 7)), shapes: ['{}'] },
  role: { write: (role) => ROLES[role], shapes: Object.values(ROLES) },
  distance: { write: (lines) => counted(lines, 'line'), shapes: ['# line', '# lines'] },
  commits: {
    write: (commits) =>
      commits === 1 ? 'the only commit' : `one of ${commits === null ? 'the' : `the ${commits}`} commits`,
    shapes: ['the only commit', 'one of the commits', 'one of the # commits'],
  },
  release: { write: (release) => codeSpan(release, 100), shapes: ['{}'] },
  days: { write: ageOf, shapes: ['less than an hour', '# hour', '# hours', '# day', '# days'] },
  words: {
    write: (words) =>
      words
        .slice(0, MOST_WORDS)
        .map((word) => codeSpan(word, 60))
        .join(', '),
    shapes: ['{}', '{}, {}', '{}, {}, {}'],
  },
};

/** The reason with its text. */
export function reason(fact: ReasonFact): Reason {
  const text = WORDING[fact.code].replace(/\{(\w+)\}/g, (_, name: keyof Parameters) => {
    const { write } = WRITERS[name] as Writer<unknown>;
    return write((fact as unknown as Parameters)[name]);
  });
  return { ...fact, text };
}

/** Every text that a reason can have, with `{}` for a code span and `#` for a number. */
export function reasonShapes(): readonly string[] {
  return Object.values(WORDING).flatMap((wording) =>
    wording.split(/(\{\w+\})/).reduce<readonly string[]>(
      (texts, part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1] as keyof Parameters | undefined;
        const shapes = name === undefined ? [part] : WRITERS[name].shapes;
        return texts.flatMap((text) => shapes.map((shape) => text + shape));
      },
      [''],
    ),
  );
}

/** In whole units, rounded down. */
export function ageOf(days: number): string {
  if (days >= 1) return counted(Math.floor(days), 'day');
  return days * 24 >= 1 ? counted(Math.floor(days * 24), 'hour') : 'less than an hour';
}

function counted(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`;
}
