import type { JsonObject } from '@culprit/core';
import type { Frame } from '@culprit/core/internal/domain/event';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import type { ComponentChildren } from 'preact';
import { useColours } from '../colours/use-colours.js';
import { Copy } from '../parts/copy.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Pill } from '../parts/pill.js';
import { CodeScroller } from '../parts/scroller.js';
import { Out, oneLine, Text, visible } from '../parts/text.js';
import { editorLink } from './editor-link.js';
import { type FrameGroup, groupFrames, type ShownFrame } from './fold-frames.js';
import { Members } from './members.js';
import { allFrames, evidenceId, fold, folding, lit } from './stack-state.js';

/** Frames with source that are expanded at first. */
const OPEN_AT_FIRST = 4;

export interface FramesProps {
  readonly project: string;
  readonly frames: readonly Frame[];
  readonly placed: readonly PlacedFrame[];
  /** Index of the exception. */
  readonly of: number;
  /** The analysis follows this exception, so suspects and claims refer to its frames. */
  readonly followed: boolean;
  /** The analysis found no source map for built frames: the frames say so. */
  readonly unmapped: boolean;
}

/** The frames of one exception, the throwing one on top. */
export function Frames({ frames, placed, ...exception }: FramesProps) {
  const places = new Map(placed.map((place) => [place.frame, place]));
  const all: readonly ShownFrame[] = frames
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
  const row = (one: ShownFrame, openAtFirst: boolean) => (
    <FrameRow key={one.index} {...one} {...exception} openAtFirst={openAtFirst} top={one === all[0]} />
  );
  return (
    <ol class="frames">
      {groupFrames(all, anyOwn).map((group) =>
        group.kind === 'frames' ? (
          group.members.map((one) => row(one, open.has(one.index)))
        ) : (
          <Folded key={`f${group.members[0]?.index}`} group={group} of={exception.of}>
            {group.members.map((one) => row(one, false))}
          </Folded>
        ),
      )}
    </ol>
  );
}

interface FoldedProps {
  readonly group: FrameGroup;
  readonly of: number;
  readonly children: ComponentChildren;
}

/** `12 library frames`, `37 × visit`; a reference to one of the frames opens it. */
function Folded({ group, of, children }: FoldedProps) {
  const { members } = group;
  const key = `fold-${of}-${members[0]?.index}`;
  const cited = members.some(({ index }) => folding.value.get(`frame-${index}`) === true);
  const open = folding.value.get(key) ?? (allFrames.value === true || cited);
  return (
    <li class="folded">
      <button type="button" aria-expanded={open} onClick={() => fold(key, !open)}>
        <Icon path={open ? ICONS.down : ICONS.right} size={11} />
        {group.kind === 'repeated' ? (
          <span>
            <b class="num">{group.times} ×</b> <Text as="code" of={group.names.join(' → ')} />
          </span>
        ) : members.length === 1 ? (
          '1 library frame'
        ) : (
          `${members.length} library frames`
        )}
      </button>
      {open && <ol>{children}</ol>}
    </li>
  );
}

interface FrameRowProps extends ShownFrame, Omit<FramesProps, 'frames' | 'placed'> {
  readonly openAtFirst: boolean;
  readonly top: boolean;
}

function FrameRow(props: FrameRowProps) {
  const { frame, index, place, own, openAtFirst, of, followed, unmapped } = props;
  const key = followed ? `frame-${index}` : `frame-${of}-${index}`;
  const lines = linesOf(frame, place);
  const open = folding.value.get(key) ?? allFrames.value ?? openAtFirst;
  const vars = frame.vars !== null && Object.keys(frame.vars).length > 0 ? frame.vars : null;
  const folds = lines.length > 0 || vars !== null;
  const evidence = `frame:${index}`;
  return (
    <li
      class={own ? 'frame own' : 'frame'}
      id={followed ? evidenceId(evidence) : undefined}
      data-lit={followed && lit.value === evidence ? '' : undefined}
      tabIndex={-1}
    >
      <p class="frame-head flow untrusted">
        {folds ? (
          <button
            type="button"
            class="fold"
            aria-expanded={open}
            aria-label={`${lines.length > 0 ? 'Source' : 'Variables'} of ${visible(frame.function ?? 'this frame')}`}
            onClick={() => fold(key, !open)}
          >
            <Icon path={open ? ICONS.down : ICONS.right} size={11} />
          </button>
        ) : (
          <span class="fold" />
        )}
        <FrameName {...props} />
      </p>
      {open && lines.length > 0 && <Source frame={frame} place={place} lines={lines} unmapped={unmapped} />}
      {open && vars !== null && <Variables of={vars} />}
    </li>
  );
}

/** The frame's variables when it crashed. */
function Variables({ of }: { readonly of: JsonObject }) {
  return (
    <div class="variables">
      <h4>Variables</h4>
      <Members of={of} />
    </div>
  );
}

function FrameName({ project, frame, index, place, own, top, followed }: FrameRowProps) {
  const words = placeWords(frame, place);
  const editor = place === null ? null : editorLink(project, place.path, place.line);
  return (
    <>
      {followed && (
        <span class="soft num frame-number" title={`Frame ${index + 1}`}>
          {index + 1}
        </span>
      )}
      <Text as="code" of={frame.function ?? '(anonymous)'} class="function" />{' '}
      <code class="place soft" title={place === null ? undefined : whyPlaced(frame, place)}>
        <Out to={place?.url ?? null}>
          <Text of={words} />
        </Out>
      </code>
      <Copy what="the frame’s location" text={oneLine(words)} />
      {editor !== null && (
        <a class="edit" href={editor}>
          Edit
        </a>
      )}
      {top && <Pill tone="red">threw</Pill>}
      {own && <Pill>in app</Pill>}
      {place?.verified === false && <Pill tone="amber">line differs</Pill>}
    </>
  );
}

const WAYS = {
  mapping: 'found by a code mapping',
  exact: 'found at the reported path',
  suffix: 'found by the end of its path',
} as const;

/** Why this file is meant, in a tooltip. */
function whyPlaced({ file }: Frame, { path, how }: PlacedFrame): string {
  const reported = file === null || file === path ? '' : `Reported as ${visible(file)}; `;
  return `${reported}${WAYS[how]}.`.replace(/^f/, 'F');
}

function placeWords(frame: Frame, place: PlacedFrame | null): string {
  if (place !== null) return `${place.path}:${place.line}`;
  const file = frame.file ?? frame.module ?? frame.package ?? 'unknown';
  return frame.line === null ? file : `${file}:${frame.line}`;
}

interface SourceProps {
  readonly frame: Frame;
  readonly place: PlacedFrame | null;
  readonly lines: readonly SourceLine[];
  readonly unmapped: boolean;
}

function Source({ frame, place, lines, unmapped }: SourceProps) {
  const cut = place?.source ? null : cutAtColumn(frame);
  const coloured = useColours(
    lines.map(({ text }) => text),
    place?.path ?? frame.file,
  );
  if (cut !== null) {
    return (
      <>
        <CodeScroller class="source" label="Source">
          <span class="line crashed">
            <i>{frame.line ?? ''}</i>
            <Text of={cut.before} />
            <Text as="mark" of={cut.at} />
            <Text of={cut.after} />
          </span>
        </CodeScroller>
        <p class="soft minified">
          Minified, shown at column {frame.column}
          {unmapped ? (
            <>
              : no source map was found. Upload it with <code>culprit sourcemaps upload</code>, or commit{' '}
              <Text as="code" of={mapOf(frame)} /> next to the built file.
            </>
          ) : (
            '.'
          )}
        </p>
      </>
    );
  }
  return (
    <CodeScroller class="source" label="Source">
      {lines.map(({ number, crashed, text }, at) => (
        <span key={at} class={crashed ? 'line crashed' : 'line'}>
          <i>{number ?? ''}</i>
          {crashed && <span class="sr">crashed here: </span>}
          {text === '' ? ' ' : coloured(at)}
        </span>
      ))}
    </CodeScroller>
  );
}

function mapOf({ file }: Frame): string {
  return `${(file ?? 'main.js')
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1)}.map`;
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

/** Longer lines are minified, or data. */
const LONG = 400;
const BEFORE = 60;
const AFTER = 200;

/** The part of a minified line around the column that crashed. */
interface LineCut {
  readonly before: string;
  readonly at: string;
  readonly after: string;
}

/** `null` for a line that people write. */
function cutAtColumn(frame: Frame): LineCut | null {
  const { context_line: text, column } = frame;
  if (text === null || text.length <= LONG || column === null) return null;
  const crashed = Math.min(text.length - 1, Math.max(0, column - 1));
  const from = Math.max(0, crashed - BEFORE);
  const to = Math.min(text.length, crashed + AFTER);
  const word = /^[\w$]+/.exec(text.slice(crashed, to))?.[0] ?? text.slice(crashed, crashed + 1);
  return {
    before: `${from > 0 ? '…' : ''}${text.slice(from, crashed)}`,
    at: word,
    after: `${text.slice(crashed + word.length, to)}${to < text.length ? '…' : ''}`,
  };
}
