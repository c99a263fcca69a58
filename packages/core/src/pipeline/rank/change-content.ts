import type { Commit, Diff, DiffFile, DiffHunk } from '../../ports/code-host.js';
import { assignedIn, definitionIn, givesMissing, isGuard, isImport, isRaise, wordsOf } from './code-lines.js';
import { type CrashContext, directoryOf, isCrashWord } from './crash-context.js';
import { kindOf } from './file-kind.js';
import { type ChangeBlock, isOnlyForm, ownBlocks } from './formatting.js';
import { speakingLines } from './inert-lines.js';
import type { ChangeContent, ChangeFacts } from './types.js';

/** Maximum number of changed lines read per diff. */
const MAX_LINES = 20_000;

type Side = 'added' | 'removed';
type Line = ChangeBlock['added'][number];
type Definitions = Map<string, Record<Side, Set<string>>>;

/** Totals over the lines of a diff. */
function newCounts() {
  return {
    words: new WordTally(),
    imports: new WordTally(),
    assigned: new WordTally(),
    definitions: new Map() as Definitions,
    lost: new Set<string>(),
    conditions: new Set<string>(),
    raises: new Set<string>(),
    edits: new Set<string>(),
    files: { code: 0, tests: 0, docs: 0 },
    missing: 0,
    size: 0,
    creates: -1,
  };
}
type Counts = ReturnType<typeof newCounts>;

/** What a diff did to the code involved in the crash. `blocks`: its changes without formatting. */
export function contentOf(
  diff: Diff,
  blocks: ReadonlyMap<DiffFile, readonly ChangeBlock[]>,
  crash: CrashContext,
): ChangeContent {
  const counts = newCounts();
  for (const [file, own] of blocks) addFile(counts, file, own, crash);
  const definitions = [...counts.definitions];
  const kept = definitions.filter(([, { removed, added }]) => removed.size > 0 && added.size > 0);
  return {
    touchesFile: diff.files.some((file) => isTraced(file, crash)),
    touchesDir: diff.files.some(({ path }) => crash.directories.has(directoryOf(path))),
    added: counts.words.net(1),
    removed: counts.words.net(-1),
    edited: counts.words.net(0),
    edits: [...counts.edits].sort(),
    creates: counts.creates,
    undefines: namesOf(definitions.filter(([, { added }]) => added.size === 0)),
    redefines: namesOf(kept.filter(([, { removed, added }]) => [...removed].join() !== [...added].join())),
    reassigns: [...counts.assigned.net(0), ...counts.assigned.net(-1)].sort(),
    givesMissing: counts.missing > 0,
    imports: [...counts.imports.net(1), ...counts.imports.net(-1)],
    guardsLost: [...counts.lost].sort(),
    conditions: [...counts.conditions].sort(),
    raises: [...counts.raises].sort(),
    size: counts.size,
    files: counts.files,
  };
}

const namesOf = (definitions: readonly (readonly [string, unknown])[]) =>
  definitions.map(([name]) => name).sort();

function isTraced(file: DiffFile, crash: CrashContext): boolean {
  return crash.files.has(file.path) || crash.files.has(file.old_path);
}

function addFile(counts: Counts, file: DiffFile, own: readonly ChangeBlock[], crash: CrashContext): void {
  const traced = isTraced(file, crash);
  const kind = traced ? 'code' : kindOf(file.path);
  if (kind === 'docs') counts.files.docs++;
  else if (kind === 'test') counts.files.tests++;
  else counts.files.code++;
  if (kind !== 'code' || counts.size > MAX_LINES) return;
  if (file.status === 'added') {
    const created = crash.paths.indexOf(file.path);
    if (created >= 0 && (counts.creates < 0 || created < counts.creates)) counts.creates = created;
  }
  for (const block of own) addBlock(counts, block, file.path, traced, crash);
  for (const name of editedFunctions(file, own)) {
    if (crash.functions.has(name) || crash.source.has(name)) counts.edits.add(name);
  }
}

function addBlock(
  counts: Counts,
  block: ChangeBlock,
  path: string,
  traced: boolean,
  crash: CrashContext,
): void {
  const guards: Record<Side, Set<string>> = { removed: new Set(), added: new Set() };
  for (const side of ['removed', 'added'] as const) {
    for (const line of speakingLines(block[side], path).code) {
      counts.size++;
      addLine(counts, guards[side], line, side, traced, crash);
    }
  }
  const counted = (word: string) => traced || isSpecific(word);
  for (const word of guards.removed) {
    if (counted(word)) (guards.added.has(word) ? counts.conditions : counts.lost).add(word);
  }
}

function addLine(
  counts: Counts,
  guards: Set<string>,
  { text }: Line,
  side: Side,
  traced: boolean,
  crash: CrashContext,
): void {
  if (givesMissing(text)) counts.missing += side === 'added' ? 1 : -1;
  const words = wordsOf(text);
  const shared = words.filter((word) => isCrashWord(crash, word));
  if (shared.length === 0) return;
  const definition = definitionIn(text);
  const target = assignedIn(text);
  const imported = isImport(text);
  const guard = isGuard(text);
  const raise = side === 'added' && isRaise(text);
  for (const word of shared) {
    counts.words.add(word, side);
    if (imported) counts.imports.add(word, side);
    if (guard && crash.source.has(word)) guards.add(word);
    if (raise && crash.error.has(word)) counts.raises.add(word);
  }
  if (target !== null && crash.source.has(target) && (traced || isSpecific(target)))
    counts.assigned.add(target, side);
  if (definition && isCrashWord(crash, definition.name)) {
    const known = counts.definitions.get(definition.name) ?? { removed: new Set(), added: new Set() };
    known[side].add(definition.parameters);
    counts.definitions.set(definition.name, known);
  }
}

/** True: the name is distinctive enough to mean the same thing outside the stack's files. */
function isSpecific(word: string): boolean {
  return word.length >= 9 || /_|[a-z][A-Z]/.test(word);
}

/** Names of the functions whose lines changed, as far as they are visible in the hunks. */
function editedFunctions(file: DiffFile, own: readonly ChangeBlock[]): ReadonlySet<string> {
  const changed = new Set(
    own.flatMap(({ added, removed }) => [...added, ...removed]).map(({ text }) => text),
  );
  const names = new Set<string>();
  for (const hunk of file.hunks) addEdited(names, hunk, changed);
  return names;
}

function addEdited(names: Set<string>, { section, lines }: DiffHunk, changed: ReadonlySet<string>): void {
  const called = [...section.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name = '']) => name);
  let within: readonly string[] = [definitionIn(section)?.name ?? '', ...called];
  for (const line of lines) {
    const text = line.slice(1);
    const name = definitionIn(text)?.name;
    if (name !== undefined) within = [name];
    if (!line.startsWith(' ') && changed.has(text)) for (const one of within) names.add(one);
  }
}

/** Counts how often words were added and removed. */
class WordTally {
  readonly #balances = new Map<string, number>();

  add(word: string, side: 'added' | 'removed'): void {
    this.#balances.set(word, this.balance(word) + (side === 'added' ? 1 : -1));
  }

  /** Added minus removed. */
  balance(word: string): number {
    return this.#balances.get(word) ?? 0;
  }

  /** Words that are more frequent afterwards (1), less frequent (-1) or equally frequent (0), sorted. */
  net(sign: -1 | 0 | 1): readonly string[] {
    return this.all().filter((word) => Math.sign(this.balance(word)) === sign);
  }

  all(): readonly string[] {
    return [...this.#balances.keys()].sort();
  }
}

/** A commit's message and changes, reduced to what concerns the crash. Lines that were only reformatted do not count. */
export function changeFacts(
  commit: Commit | null,
  diff: Diff | null,
  crash: CrashContext,
  ownsLines: boolean,
): ChangeFacts {
  const words = new Set(commit === null ? [] : commit.message.split('\n', 200).flatMap(wordsOf));
  const message = [...words].filter((word) => isCrashWord(crash, word)).sort();
  const title = commit?.title ?? '';
  const isMerge = (commit?.parents.length ?? 0) > 1 && !ownsLines;
  if (diff === null) return { message, title, content: null, ownChange: !isMerge };
  const blocks = new Map(diff.files.map((file) => [file, ownBlocks(file)]));
  const touched = diff.files.filter((file) => crash.files.has(file.path) || crash.files.has(file.old_path));
  return {
    message,
    title,
    content: contentOf(diff, blocks, crash),
    ownChange: !isMerge && !isFormOnly(diff, touched, blocks),
  };
}

/** True: the commit only moved or formatted its part of the traced files, or everything. */
function isFormOnly(
  diff: Diff,
  touched: Diff['files'],
  blocks: ReadonlyMap<DiffFile, readonly ChangeBlock[]>,
): boolean {
  if (diff.truncated && touched.length === 0) return false;
  return (touched.length > 0 ? touched : diff.files).every((file) => isOnlyForm(file, blocks.get(file)));
}
