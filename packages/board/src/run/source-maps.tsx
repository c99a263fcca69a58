import { nullIfNotFound } from '@culprit/client';
import type { PlacedStack, Run } from '@culprit/core';
import type { CrashException, Frame } from '@culprit/core/internal/domain/event';
import { missingMapText } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { api } from '../api.js';
import { Copy } from '../parts/copy.js';
import { visible } from '../parts/text.js';
import { useAsked } from '../parts/use-asked.js';
import { minified } from './stack-state.js';

/** Switches between the originals and the built code; nothing if no source map was used. */
export function SourceMapSwitch({ stack }: { readonly stack: PlacedStack | null }) {
  if (stack?.originals === undefined) return null;
  return (
    <button
      type="button"
      class="button small"
      aria-pressed={minified.value}
      onClick={() => {
        minified.value = !minified.value;
      }}
    >
      Minified
    </button>
  );
}

interface MissingProps {
  readonly stack: PlacedStack | null;
  /** The run waits for its analysis. */
  readonly waits: boolean;
}

/** The built files that no source map explains, each with the command that uploads it. */
export function MissingSourceMaps({ stack, waits }: MissingProps) {
  const missing = stack?.missing_source_maps ?? [];
  const commands = [...new Set(missing.map(({ command }) => command))];
  if (missing.length === 0) return null;
  return (
    <div class="callout" data-tone="amber">
      {missing.map((one) => (
        <p key={one.file} class="untrusted">
          There is {visible(missingMapText(one))}.
        </p>
      ))}
      {commands.map((command) => (
        <p key={command}>
          <code class="untrusted">{visible(command)}</code> <Copy what="the command" text={command} />
        </p>
      ))}
      <p class="soft">
        {waits
          ? 'Upload it before you approve Gate 1: the analysis then sees the original code.'
          : 'Then return the run to Gate 1 and approve it again.'}
      </p>
    </div>
  );
}

/** The same for a run that is not analysed yet: its stack is not read with the run. */
export function MissingAtGateOne({ run }: { readonly run: Run }) {
  const stack = useAsked(
    () => api.getStack({ run_id: run.run_id }).catch(nullIfNotFound),
    `${run.run_id} ${run.version}`,
  );
  return <MissingSourceMaps stack={stack} waits />;
}

/** An exception as it is shown: with the originals of its frames, unless the reader wants the built code. */
export function originalException(
  exception: CrashException,
  index: number,
  stack: PlacedStack | null,
): CrashException {
  const originals = stack?.originals?.filter((one) => one.exception === index) ?? [];
  if (minified.value || originals.length === 0) return exception;
  const byFrame = new Map(originals.map((one) => [one.frame, one]));
  return {
    ...exception,
    frames: exception.frames.map((frame, at): Frame => {
      const original = byFrame.get(at);
      if (original === undefined) return frame;
      const { file, line, source } = original;
      const crashed = source === null ? -1 : line - source.from;
      return {
        ...frame,
        file,
        abs_path: null,
        line,
        column: null,
        function: original.function,
        context_line: source?.lines[crashed] ?? null,
        pre_context: source?.lines.slice(0, Math.max(0, crashed)) ?? [],
        post_context: source?.lines.slice(crashed + 1) ?? [],
      };
    }),
  };
}
