import type { CrashException, Frame, PlacedFrame, PlacedStack, Run } from '@culprit/core/model';
import { ICONS, Icon } from '../parts/icons.js';
import { CodeScroller } from '../parts/scroller.js';
import { Out, visible } from '../parts/text.js';
import { allFrames, evidenceId, fold, folding, lit } from './stack-state.js';

/** Frames with source that are expanded at first. */
const OPEN_AT_FIRST = 4;

interface StackProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

/** The exceptions and their frames: the throwing frame on top, in-app frames expanded, others collapsed. */
export function StackSection({ run, stack }: StackProps) {
  const { exceptions, message } = run.event;
  const raised = exceptions.map((exception, index) => ({ exception, index })).reverse();
  return (
    <section class="part" aria-labelledby="crash">
      <h3 id="crash" tabIndex={-1}>
        Crash
      </h3>
      {raised.length === 0 && <p class="raised untrusted">{visible(message ?? 'No message.')}</p>}
      {raised.map(({ exception, index }, place) => (
        <Raised
          key={index}
          exception={exception}
          index={index}
          cause={place > 0}
          placed={stack?.exception === index ? stack.frames : []}
        />
      ))}
      <Context run={run} />
    </section>
  );
}

interface RaisedProps {
  readonly exception: CrashException;
  readonly index: number;
  readonly cause: boolean;
  readonly placed: readonly PlacedFrame[];
}

function Raised({ exception, index, cause, placed }: RaisedProps) {
  return (
    <div class="exception">
      <p
        class="raised untrusted"
        id={evidenceId(`exception:${index}`)}
        data-lit={lit.value === `exception:${index}` ? '' : undefined}
        tabIndex={-1}
      >
        {cause && <span class="soft">caused by </span>}
        <b>{visible(exception.type ?? 'Error')}</b>
        {exception.value !== null && `: ${visible(exception.value)}`}
        {exception.handled === false && <span class="soft"> · unhandled</span>}
      </p>
      {exception.frames.length === 0 ? (
        <p class="soft">The crash has no stack trace.</p>
      ) : (
        <Frames frames={exception.frames} placed={placed} of={index} />
      )}
    </div>
  );
}

interface Shown {
  readonly frame: Frame;
  readonly index: number;
  readonly place: PlacedFrame | null;
  readonly own: boolean;
}

interface FramesProps {
  readonly frames: readonly Frame[];
  readonly placed: readonly PlacedFrame[];
  readonly of: number;
}

function Frames({ frames, placed, of }: FramesProps) {
  const places = new Map(placed.map((place) => [place.frame, place]));
  const all: readonly Shown[] = frames
    .map((frame, index) => {
      const place = places.get(index) ?? null;
      return { frame, index, place, own: frame.in_app === true || place !== null };
    })
    .reverse();
  const anyOwn = all.some(({ own }) => own);
  const open = new Set(
    all
      .filter(({ own }) => own || !anyOwn)
      .slice(0, OPEN_AT_FIRST)
      .map(({ index }) => index),
  );
  return (
    <ol class="frames">
      {runsOf(all, anyOwn).map((group) =>
        group.folded ? (
          <FoldedFrames key={`f${group.members[0]?.index}`} members={group.members} of={of} />
        ) : (
          group.members.map((one) => (
            <FrameRow
              key={one.index}
              {...one}
              openAtFirst={open.has(one.index)}
              top={one === all[0]}
              of={of}
            />
          ))
        ),
      )}
    </ol>
  );
}

/** Groups consecutive frames of libraries into one line. */
function runsOf(all: readonly Shown[], anyOwn: boolean) {
  const groups: { folded: boolean; members: Shown[] }[] = [];
  for (const one of all) {
    const folded = anyOwn && !one.own;
    const last = groups.at(-1);
    if (last !== undefined && last.folded === folded) last.members.push(one);
    else groups.push({ folded, members: [one] });
  }
  return groups;
}

function FoldedFrames({ members, of }: { readonly members: readonly Shown[]; readonly of: number }) {
  const key = `fold-${of}-${members[0]?.index}`;
  const open = folding.value.get(key) ?? allFrames.value === true;
  return (
    <li class="folded">
      <button type="button" aria-expanded={open} onClick={() => fold(key, !open)}>
        <Icon path={open ? ICONS.down : ICONS.right} size={11} />
        {members.length === 1 ? '1 library frame' : `${members.length} library frames`}
      </button>
      {open && (
        <ol>
          {members.map((one) => (
            <FrameRow key={one.index} {...one} openAtFirst={false} top={false} of={of} />
          ))}
        </ol>
      )}
    </li>
  );
}

interface FrameRowProps extends Shown {
  readonly openAtFirst: boolean;
  readonly top: boolean;
  readonly of: number;
}

function FrameRow({ frame, index, place, own, openAtFirst, top, of }: FrameRowProps) {
  const key = of === 0 ? `frame-${index}` : `frame-${of}-${index}`;
  const lines = linesOf(frame, place);
  const open = folding.value.get(key) ?? allFrames.value ?? openAtFirst;
  const evidence = `frame:${index}`;
  return (
    <li
      class={own ? 'frame own' : 'frame'}
      id={place === null ? undefined : evidenceId(evidence)}
      data-lit={place !== null && lit.value === evidence ? '' : undefined}
      tabIndex={-1}
    >
      <p class="frame-head untrusted">
        {lines.length > 0 ? (
          <button
            type="button"
            class="fold"
            aria-expanded={open}
            aria-label={`Source of ${visible(frame.function ?? 'this frame')}`}
            onClick={() => fold(key, !open)}
          >
            <Icon path={open ? ICONS.down : ICONS.right} size={11} />
          </button>
        ) : (
          <span class="fold" />
        )}
        <code class="function">{visible(frame.function ?? '(anonymous)')}</code>{' '}
        <code class="place">
          <Out to={place?.url ?? null}>{visible(placeWords(frame, place))}</Out>
        </code>
        {top && (
          <span class="pill" data-tone="red">
            threw
          </span>
        )}
        {own && <span class="pill">in app</span>}
        {place?.verified === false && (
          <span class="pill" data-tone="amber">
            line differs
          </span>
        )}
      </p>
      {open && lines.length > 0 && <Source lines={lines} />}
    </li>
  );
}

function placeWords(frame: Frame, place: PlacedFrame | null): string {
  if (place !== null) return `${place.path}:${place.line}`;
  const file = frame.file ?? frame.module ?? frame.package ?? 'unknown';
  return frame.line === null ? file : `${file}:${frame.line}`;
}

interface SourceLine {
  readonly number: number | null;
  readonly text: string;
  readonly crashed: boolean;
}

/** The repository's lines at the crashed commit, otherwise those in the event. */
function linesOf(frame: Frame, place: PlacedFrame | null): readonly SourceLine[] {
  if (place !== null && place.source !== null) {
    const { from, lines } = place.source;
    return lines.map((text, at) => ({ number: from + at, text, crashed: from + at === place.line }));
  }
  if (frame.context_line === null) return [];
  const first = frame.line === null ? null : frame.line - frame.pre_context.length;
  return [...frame.pre_context, frame.context_line, ...frame.post_context].map((text, at) => ({
    number: first === null ? null : first + at,
    text,
    crashed: at === frame.pre_context.length,
  }));
}

function Source({ lines }: { readonly lines: readonly SourceLine[] }) {
  return (
    <CodeScroller class="source" label="Source">
      {lines.map(({ number, text, crashed }, at) => (
        <span key={at} class={crashed ? 'line crashed' : 'line'}>
          <i>{number ?? ''}</i>
          {crashed && <span class="sr">crashed here: </span>}
          {visible(text) || ' '}
        </span>
      ))}
    </CodeScroller>
  );
}

/** Tags and other metadata of the event. */
function Context({ run }: { readonly run: Run }) {
  const { tags, transaction, server_name, logger, sdk, trimmed } = run.event;
  const rows = [
    ...Object.entries(tags),
    ...Object.entries({ transaction, server: server_name, logger }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    ),
    ...(sdk === null ? [] : [['sdk', `${sdk.name} ${sdk.version}`] as const]),
    ...(trimmed.length === 0 ? [] : [['truncated', trimmed.join(', ')] as const]),
  ];
  if (rows.length === 0) return null;
  return (
    <dl class="tags">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt class="untrusted">{visible(name)}</dt>
          <dd class="untrusted">{visible(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
