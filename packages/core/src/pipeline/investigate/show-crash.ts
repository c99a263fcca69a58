import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { CrashException, Frame } from '../../domain/event.js';
import { commitsText } from '../../domain/release.js';
import { REVISION_SOURCE_WORDS } from '../../domain/run.js';
import { aboveRepository, isOwn, placeOf, shortFunction } from '../draft/frame-place.js';
import { type LocatedCrash, locatedCrash } from '../evidence/placed-frames.js';
import { withCauses } from '../locate/crash-exception.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { MAX_POSITIONS } from '../locate/locate-frames.js';
import { kindOf } from '../rank/file-kind.js';
import { functionExtent } from '../rank/function-extent.js';
import { cleanLines, day, type Reply, short } from './answer-text.js';
import type { Asking } from './ask.js';
import { isGeneric } from './generic-frames.js';

const BREADCRUMBS = 10;
const TAGS = 40;
const TEST_LINES = 30;
const MESSAGE_LINES = 20;
/** Exceptions that are shown of a long chain: the outermost and those next to the root. */
const OUTERMOST = 2;
const EXCEPTIONS = 8;
/** Frames of the exceptions together; each has at least a few. */
const FRAMES = 64;
const LEAST_FRAMES = 6;
/** Share of the frames that are nearest to the crash; the rest are the oldest. */
const NEAREST = 0.75;

/** The crash as an investigation begins: what happened, every exception with its frames, the failing test, and what came before. */
export async function showCrash(asking: Asking): Promise<Reply> {
  const crash = locatedCrash(asking.bundle);
  const { exceptions } = crash.event;
  const start = rankingStart(crash);
  const chain = exceptions.map((exception, index) => ({ exception, index })).reverse();
  const shown =
    chain.length > EXCEPTIONS
      ? [...chain.slice(0, OUTERMOST), ...chain.slice(OUTERMOST - EXCEPTIONS)]
      : chain;
  const most = Math.max(LEAST_FRAMES, Math.floor(FRAMES / Math.max(1, shown.length)));
  const stacks = shown.flatMap(({ exception, index }) => [
    ...headline(exception, index, exceptions),
    ...middleCut(folded(framesOf(exception, crash, start)), most),
  ]);
  const left = chain.length - shown.length;
  return {
    lines: [
      ...facts(asking, crash),
      ...stacks,
      ...(left === 0 ? [] : [`${left} exceptions between them are left out.`]),
      ...(await failingTest(crash, asking)),
      ...breadcrumbs(crash),
    ],
  };
}

function facts({ run, revision, bundle }: Asking, { event, tree }: LocatedCrash): readonly string[] {
  const { release_window: window } = run;
  const how = run.revision === null ? '' : ` (${REVISION_SOURCE_WORDS[run.revision.how]})`;
  const date = tree === null ? '' : ` of ${day(tree.revision.committed_at)}`;
  const tags = Object.entries(event.tags)
    .slice(0, TAGS)
    .map(([name, value]) => `${name}=${value}`);
  const all: readonly (readonly [string, string | null | undefined])[] = [
    ['message', event.exceptions.length === 0 ? event.message : null],
    ['crashed revision', `${short(revision)}${date}${how}`],
    ['crashes', `${run.occurrences}, first ${run.first_crash_at ?? run.first_seen}, last ${run.last_seen}`],
    ['releases', run.releases.join(', ')],
    [
      'first crashed release',
      window &&
        `${window.version}${window.commits === null ? '' : `, with ${commitsText(window.commits, window.more_commits)}`}`,
    ],
    ['environments', run.environments.join(', ')],
    ['platform', `${event.platform}, level ${event.level}`],
    ['transaction', event.transaction],
    ['tags', tags.join(' ')],
    ...(run.revision?.gaps ?? []).map(({ detail }) => ['note', detail] as const),
    ['shown crash', bundle.event.timestamp],
  ];
  return all.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
}

/** Type and message, and its place in the chain. */
function headline(
  { type, value, mechanism }: CrashException,
  index: number,
  { length }: readonly CrashException[],
): readonly string[] {
  const [first = '', ...rest] = [type, value]
    .filter((part) => part)
    .join(': ')
    .trim()
    .split('\n');
  const marks = [
    ...(length > 1 && index === length - 1 ? ['outermost'] : []),
    ...(length > 1 && index === 0 ? ['root cause'] : []),
    ...(mechanism?.type === 'suppressed' ? ['suppressed'] : []),
    ...(mechanism?.source === '__context__' ? ['was being handled'] : []),
  ];
  const number = length > 1 ? ` ${length - index} of ${length}` : '';
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  return [
    '',
    `exception${number}${mark}: ${first}`,
    ...rest.slice(0, MESSAGE_LINES).map((line) => `    ${line}`),
    ...(rest.length > MESSAGE_LINES ? ['    …'] : []),
  ];
}

/** Where the ranking takes the crash to be: also a frame of a cause. */
function rankingStart({ event, thrown, locate }: LocatedCrash): LocatedFrame | null {
  return (thrown && locate(withCauses(event, thrown).exception)[0]) ?? null;
}

/** The frames, the one that threw first. */
function framesOf(exception: CrashException, crash: LocatedCrash, start: LocatedFrame | null) {
  const { locate, candidates, thrown } = crash;
  const { frames } = exception;
  const placed = byPlace(frames, locate(exception));
  const found = candidates(exception);
  const reported = byPlace(frames, found);
  const above = aboveRepository(thrown, thrown === null ? [] : locate(thrown.exception));
  const view = { crash, start, above, isComplete: found.length < MAX_POSITIONS };
  return frames
    .map((frame) => frameText(frame, placed.get(keyOf(frame)), reported.get(keyOf(frame)), view))
    .reverse();
}

const keyOf = ({ file, abs_path, module, line }: Frame) => JSON.stringify([file, abs_path, module, line]);

/** Each line is located once, also if a recursion repeats it. */
function byPlace(
  frames: readonly Frame[],
  located: readonly LocatedFrame[],
): ReadonlyMap<string, LocatedFrame> {
  return new Map(
    located.flatMap((one) => {
      const frame = frames[one.frame];
      return frame === undefined ? [] : [[keyOf(frame), one] as const];
    }),
  );
}

interface FrameView {
  readonly crash: LocatedCrash;
  readonly start: LocatedFrame | null;
  readonly above: string;
  /** False: frames of the repository may be among those that were not located. */
  readonly isComplete: boolean;
}

function frameText(
  frame: Frame,
  placed: LocatedFrame | undefined,
  reported: LocatedFrame | undefined,
  { crash, start, above, isComplete }: FrameView,
): string {
  const at = placed ?? reported;
  const { module, function: name } = frame;
  const path = at?.path ?? frame.file ?? frame.abs_path;
  const place = at === undefined ? placeOf(frame, above) : `${at.path}:${at.line}`;
  const called = name === null ? '' : shortFunction(name);
  const full =
    at === undefined && module !== null && !called.startsWith(module) ? `${module} ${called}` : called;
  const known = placed === undefined ? undefined : crash.text.get(placed.path)?.[placed.line - 1];
  const source = (known || (path !== null && isDeniedPath(path) ? null : frame.context_line)) ?? '';
  const marks = [
    ...(at === undefined && (isComplete || !isOwn(frame)) ? ['not in the repository'] : []),
    ...(placed === undefined && reported !== undefined ? ['no such line at this revision'] : []),
    ...(placed?.verified === false ? ['another line was reported'] : []),
    ...(at !== undefined && kindOf(at.path) === 'test' ? ['test'] : []),
    ...(isGeneric({ path, module, function: name }) ? ['raises for others'] : []),
    ...(placed !== undefined && placed.path === start?.path && placed.line === start.line
      ? ['the ranking starts here']
      : []),
  ];
  const mark = marks.map((one) => ` (${one})`).join('');
  return `  ${`${place} ${full}`.trim()}${mark}${source.trim() === '' ? '' : `| ${source.trim()}`}`;
}

const LONGEST_CYCLE = 8;

/** Repeated recursion once, with the number of repetitions. */
function folded(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { size, times } = cycleAt(lines, at);
    kept.push(...lines.slice(at, at + size));
    if (times > 1) kept.push(`  … ${size === 1 ? 'this frame' : `these ${size} frames`} ${times} times`);
    at += size * times;
  }
  return kept;
}

function cycleAt(lines: readonly string[], at: number): { readonly size: number; readonly times: number } {
  for (let size = 1; size <= LONGEST_CYCLE; size++) {
    let end = at + size;
    while (end < lines.length && lines[end] === lines[end - size]) end++;
    const times = Math.floor((end - at) / size);
    if (times > 2) return { size, times };
  }
  return { size: 1, times: 1 };
}

function middleCut(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const nearest = Math.ceil(most * NEAREST);
  const oldest = lines.slice(nearest - most);
  const left = lines.length - nearest - oldest.length;
  return [...lines.slice(0, nearest), `  … ${left} frames are left out`, ...oldest];
}

/** The function of the failing test, if the stack leads through one: the oldest frame in a test file. */
async function failingTest({ thrown, locate }: LocatedCrash, asking: Asking): Promise<readonly string[]> {
  const located = thrown === null ? [] : locate(thrown.exception);
  const tests = located.filter(({ path }) => kindOf(path) === 'test' && !isDeniedPath(path));
  const test = tests.findLast(({ function: name }) => /test|spec|should/i.test(name ?? '')) ?? tests.at(-1);
  if (test === undefined) return [];
  const { questions, repository, revision, scrub, signal } = asking;
  const lines = await questions.lines(repository, revision, test.path, signal).catch(() => {
    // The crash is shown without it.
    signal.throwIfAborted();
    return null;
  });
  const extent = lines === null ? null : functionExtent(lines, test.line);
  if (lines === null || extent === null) return [];
  const from = Math.max(extent.start, Math.min(test.line - TEST_LINES + 5, extent.end - TEST_LINES + 1));
  const to = Math.min(extent.end, from + TEST_LINES - 1);
  const body = cleanLines(lines, from, to, scrub).map((text, index) => `${from + index}| ${text}`);
  return ['', `the failing test, ${test.path}:`, ...body];
}

function breadcrumbs({ event }: LocatedCrash): readonly string[] {
  const last = event.breadcrumbs.slice(-BREADCRUMBS).map(({ timestamp, category, level, message, data }) => {
    const parts = [timestamp, category, level, message].filter(
      (part) => typeof part === 'string' || typeof part === 'number',
    );
    return `  ${parts.join(' ')}${data === undefined || data === null ? '' : ` ${JSON.stringify(data)}`}`;
  });
  return last.length === 0 ? [] : ['', 'breadcrumbs, oldest first:', ...last];
}
