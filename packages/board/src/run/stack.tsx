import type { PlacedStack, Run } from '@culprit/core';
import type { CrashException } from '@culprit/core/internal/domain/event';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import { hasBuiltFrames } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { Copy } from '../parts/copy.js';
import { visible } from '../parts/text.js';
import { EditorSetup } from './editor-setup.js';
import { roleOf } from './exception-role.js';
import { Frames } from './frames.js';
import { MissingAtGateOne, MissingSourceMaps, originalException, SourceMapSwitch } from './source-maps.js';
import { evidenceId, lit, minified } from './stack-state.js';
import { stackText } from './stack-text.js';
import { Tags } from './tags.js';

interface StackProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

/** The exceptions from the root cause to the crash, each with its frames: the throwing one on top, library frames folded. */
export function StackSection({ run, stack }: StackProps) {
  const { message } = run.event;
  const waits = run.state === 'staged_raw';
  /** Every frame as it was built. */
  const built = minified.value && stack?.originals !== undefined;
  const exceptions = run.event.exceptions.map((one, index) => originalException(one, index, stack));
  const followed = stack?.exception ?? exceptions.length - 1;
  return (
    <section class="part" aria-labelledby="crash">
      <div class="part-head">
        <h3 id="crash" tabIndex={-1}>
          Crash{' '}
          {exceptions.length > 1 && (
            <span class="soft">{exceptions.length} exceptions, root cause first</span>
          )}
        </h3>
        <SourceMapSwitch stack={stack} />
        <Copy
          what="the stack trace as text"
          text={() => stackText({ exceptions, message })}
          label="Copy stack"
        />
      </div>
      {waits ? (
        hasBuiltFrames(run.event) && <MissingAtGateOne run={run} />
      ) : (
        <MissingSourceMaps stack={stack} waits={false} />
      )}
      {exceptions.length === 0 && (
        <p class="raised untrusted" tabIndex={mayScroll(message) ? 0 : undefined}>
          {visible(message ?? 'No message.')}
        </p>
      )}
      {exceptions.map((exception, index) => (
        <Raised
          key={index}
          project={run.project}
          exception={exception}
          index={index}
          role={roleOf(exceptions, index)}
          followed={index === followed}
          placed={built ? [] : placedOf(stack, index)}
          unmapped={!waits && !built}
        />
      ))}
      <Tags run={run} />
      {stack !== null && <EditorSetup />}
    </section>
  );
}

function placedOf(stack: PlacedStack | null, index: number): readonly PlacedFrame[] {
  if (stack === null) return [];
  if (stack.exception === index) return stack.frames;
  return stack.others?.find(({ exception }) => exception === index)?.frames ?? [];
}

interface RaisedProps {
  readonly project: string;
  readonly exception: CrashException;
  readonly index: number;
  readonly role: string | null;
  /** The analysis follows this exception, so suspects and claims refer to its frames. */
  readonly followed: boolean;
  readonly placed: readonly PlacedFrame[];
  readonly unmapped: boolean;
}

/** Whether a message may be higher than its box on a phone, so that the keyboard must reach it. */
function mayScroll(message: string | null): boolean {
  return message !== null && (message.length > 200 || message.split('\n').length > 5);
}

function Raised({ project, exception, index, role, followed, placed, unmapped }: RaisedProps) {
  return (
    <div class="exception">
      <p
        class="raised untrusted"
        id={evidenceId(`exception:${index}`)}
        data-lit={lit.value === `exception:${index}` ? '' : undefined}
        tabIndex={mayScroll(exception.value) ? 0 : -1}
      >
        {role !== null && <span class="pill role">{visible(role)}</span>}
        <b>{visible(exception.type ?? 'Error')}</b>
        {exception.value !== null && `: ${visible(exception.value)}`}
        {exception.handled === false && <span class="soft"> · unhandled</span>}
      </p>
      {exception.frames.length === 0 ? (
        <p class="soft">No stack trace.</p>
      ) : (
        <Frames
          project={project}
          frames={exception.frames}
          placed={placed}
          of={index}
          followed={followed}
          unmapped={unmapped}
        />
      )}
    </div>
  );
}
