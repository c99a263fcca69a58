import { nullIfNotFound } from '@culprit/client';
import type { PlacedStack } from '@culprit/core';
import type { CrashException, Frame } from '@culprit/core/internal/domain/event';
import { shortFunction } from '@culprit/core/internal/pipeline/draft/frame-place';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import { missingMapText } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { type Answer, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

const MAX_EXCEPTIONS = 5;
const MAX_FRAMES = 30;
/** Located frames that are shown with the lines around them. */
const MAX_SOURCES = 5;

/** The exceptions of a run, the one thrown last first, with the repository's lines where they are known. */
export async function getStack(reads: RunReads, runId: string): Promise<Answer> {
  const [run, stack] = await Promise.all([
    reads.getRun({ run_id: runId }),
    reads.getStack({ run_id: runId }).catch(nullIfNotFound),
  ]);
  const { message } = run.event;
  const exceptions = run.event.exceptions.map((exception, index) => originals(exception, index, stack));
  const shown = exceptions.map((exception, index) => ({ exception, index })).reverse();
  const followed = stack?.exception ?? exceptions.length - 1;
  const blocks = shown
    .slice(0, MAX_EXCEPTIONS)
    .map(({ exception, index }) => exceptionText(exception, placedIn(stack, index), index === followed));
  const none =
    message === null
      ? 'The crash has no stack trace.'
      : `The crash has no stack trace, only a message: ${untrusted(message)}`;
  const sources = (stack?.frames ?? []).slice(0, MAX_SOURCES).flatMap((frame) => sourceText(frame) ?? []);
  const more =
    shown.length > MAX_EXCEPTIONS ? [`${shown.length - MAX_EXCEPTIONS} more exceptions are not shown.`] : [];
  return {
    heading: `Stack of run ${untrusted(run.run_id)}`,
    blocks: [
      ...(exceptions.length === 0 ? [none] : blocks),
      ...more,
      ...(run.revision === null ? ['Not located in the repository: the run has not passed Gate 1.'] : []),
      ...(sources.length === 0 ? [] : ['### Source at the crashed commit', ...sources]),
      ...missingText(stack),
    ],
  };
}

/** The exception with the originals of source maps in place of its built frames. */
function originals(exception: CrashException, index: number, stack: PlacedStack | null): CrashException {
  const found = stack?.originals?.filter((one) => one.exception === index) ?? [];
  if (found.length === 0) return exception;
  const frames = exception.frames.map((frame, at): Frame => {
    const original = found.find((one) => one.frame === at);
    if (original === undefined) return frame;
    const { file, line, function: name } = original;
    return { ...frame, file, abs_path: null, line, function: name };
  });
  return { ...exception, frames };
}

/** The built files without a source map. */
function missingText(stack: PlacedStack | null): readonly string[] {
  const missing = stack?.missing_source_maps ?? [];
  if (missing.length === 0) return [];
  const lines = missing.map(
    (one) => `- ${untrusted(missingMapText(one))}. Upload it: ${untrusted(one.command)}`,
  );
  return ['### Missing source maps', lines.join('\n')];
}

function placedIn(stack: PlacedStack | null, index: number): readonly PlacedFrame[] {
  if (stack === null) return [];
  if (stack.exception === index) return stack.frames;
  return stack.others?.find(({ exception }) => exception === index)?.frames ?? [];
}

/** Frames newest first: the first one threw. */
function exceptionText(exception: CrashException, placed: readonly PlacedFrame[], followed: boolean): string {
  const error = [exception.type, exception.value].filter((part) => part !== null && part !== '').join(': ');
  const places = new Map(placed.map((one) => [one.frame, one]));
  const frames = exception.frames.map((frame, index) => frameText(frame, places.get(index))).reverse();
  const lines = frames.slice(0, MAX_FRAMES).map((text, index) => `${index + 1}. ${text}`);
  const rest = frames.length > MAX_FRAMES ? [`${frames.length - MAX_FRAMES} more frames are not shown.`] : [];
  const heading = `### ${untrusted(error, 'span', 400)}${followed ? ', analysed' : ''}`;
  return [heading, ...(lines.length === 0 ? ['No frames.'] : [lines.join('\n')]), ...rest].join('\n\n');
}

function frameText(
  { file, abs_path, module, line, function: name, in_app }: Frame,
  placed?: PlacedFrame,
): string {
  const reported = file ?? abs_path ?? module ?? 'unknown';
  const where = placed ? `${placed.path}:${placed.line}` : line === null ? reported : `${reported}:${line}`;
  return [
    untrusted(where),
    ...(name === null ? [] : [`in ${untrusted(shortFunction(name), 'span', 120)}`]),
    ...(placed ? ['found in the repository'] : in_app === false ? ['library'] : []),
    ...(placed?.verified === false ? ['the reported source line does not match'] : []),
  ].join(', ');
}

function sourceText({ path, line, source }: PlacedFrame): string | null {
  if (source === null) return null;
  const lines = source.lines.map((text, index) => {
    const number = source.from + index;
    return `${number === line ? '>' : ' '} ${String(number).padStart(5)} | ${text}`;
  });
  return `${untrusted(`${path}:${line}`)}:\n\n${untrusted(lines.join('\n'), 'block')}`;
}
