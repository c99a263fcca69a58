import { nullIfNotFound } from '@culprit/client';
import type { Event, PlacedStack, Run } from '@culprit/core';
import type { CrashException, Frame } from '@culprit/core/internal/domain/event';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import { hasBuiltFrames, missingMapText } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { api } from '../api.js';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';
import { Marked } from '../parts/marked.js';
import { Part } from '../parts/part.js';
import { Text } from '../parts/text.js';
import { useAsked } from '../parts/use-asked.js';
import { editorProblem, editorTemplate, setEditorTemplate } from './editor-link.js';
import { Frames, type FramesProps } from './frames.js';
import { evidenceId, lit, minified } from './stack-state.js';

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
    <Part
      id="crash"
      title="Crash"
      note={exceptions.length > 1 && `${exceptions.length} exceptions, root cause first`}
      action={
        <>
          <SourceMapSwitch stack={stack} />
          <Copy
            what="the stack trace as text"
            text={() => stackText({ exceptions, message })}
            label="Copy stack"
          />
        </>
      }
    >
      {waits ? (
        hasBuiltFrames(run.event) && <MissingAtGateOne run={run} />
      ) : (
        <MissingSourceMaps stack={stack} waits={false} />
      )}
      {exceptions.length === 0 && (
        <Text
          as="p"
          of={message ?? 'No message.'}
          class="raised"
          tabIndex={mayScroll(message) ? 0 : undefined}
        />
      )}
      {exceptions.map((exception, index) => (
        <Raised
          key={index}
          project={run.project}
          exception={exception}
          of={index}
          role={roleOf(exceptions, index)}
          followed={index === followed}
          placed={built ? [] : placedOf(stack, index)}
          unmapped={!waits && !built}
        />
      ))}
      <Tags run={run} />
      {stack !== null && <EditorSetup />}
    </Part>
  );
}

function placedOf(stack: PlacedStack | null, index: number): readonly PlacedFrame[] {
  if (stack === null) return [];
  if (stack.exception === index) return stack.frames;
  return stack.others?.find(({ exception }) => exception === index)?.frames ?? [];
}

interface RaisedProps extends Omit<FramesProps, 'frames'> {
  readonly exception: CrashException;
  readonly role: string | null;
}

/** Whether a message may be higher than its box on a phone, so that the keyboard must reach it. */
function mayScroll(message: string | null): boolean {
  return message !== null && (message.length > 200 || message.split('\n').length > 5);
}

function Raised({ exception, role, ...rest }: RaisedProps) {
  const evidence = `exception:${rest.of}`;
  return (
    <div class="exception">
      <p
        class="raised untrusted"
        id={evidenceId(evidence)}
        data-lit={lit.value === evidence ? '' : undefined}
        tabIndex={mayScroll(exception.value) ? 0 : -1}
      >
        {role !== null && <Text of={role} class="pill role" />}
        <Text as="b" of={exception.type ?? 'Error'} />
        {exception.value !== null && <Text of={`: ${exception.value}`} />}
        {exception.handled === false && <span class="soft"> · unhandled</span>}
      </p>
      {exception.frames.length === 0 ? (
        <p class="soft">No stack trace.</p>
      ) : (
        <Frames {...rest} frames={exception.frames} />
      )}
    </div>
  );
}

/** The exceptions and frames as text for a chat or a search: the crash first, the throwing frame on top. */
function stackText({ exceptions, message }: Pick<Event, 'exceptions' | 'message'>): string {
  if (exceptions.length === 0) return message ?? '';
  return [...exceptions]
    .reverse()
    .map(({ type, value, frames }, at) =>
      [
        `${at === 0 ? '' : 'Caused by: '}${type ?? 'Error'}${value === null ? '' : `: ${value}`}`,
        ...[...frames].reverse().map((frame) => `    at ${frameText(frame)}`),
      ].join('\n'),
    )
    .join('\n');
}

function frameText({ function: name, file, module, line, column }: Frame): string {
  const place = [file ?? module ?? 'unknown', line, line === null ? null : column]
    .filter((part) => part !== null)
    .join(':');
  return name === null ? place : `${name} (${place})`;
}

/** How an exception belongs to its chain, which is ordered from the root cause to the crash; `null` if it is alone. */
function roleOf(exceptions: readonly CrashException[], index: number): string | null {
  const exception = exceptions[index];
  if (exception === undefined || exceptions.length < 2) return null;
  const { parent_id: parentId, type } = exception.mechanism ?? {};
  const parent = exceptions.find(
    ({ mechanism }) => typeof parentId === 'number' && mechanism?.exception_id === parentId,
  );
  if (parent !== undefined && isGroup(parent)) {
    const members = exceptions.filter(({ mechanism }) => mechanism?.parent_id === parentId);
    return `member ${members.indexOf(exception) + 1} of ${members.length} of ${parent.type ?? 'the group'}`;
  }
  if (type === 'suppressed') return 'suppressed';
  if (isGroup(exception)) return 'group';
  if (index === 0) return 'root cause';
  const handled = exceptions[index - 1]?.mechanism?.source === '__context__';
  return handled ? 'raised while the one above was handled' : 'raised because of the one above';
}

function isGroup({ mechanism, type }: CrashException): boolean {
  return (
    mechanism?.is_exception_group === true || /Exception ?Group|AggregateE(?:rror|xception)/.test(type ?? '')
  );
}

/** Sets the editor once for this browser; every located frame then has an *Edit* link. */
function EditorSetup() {
  const template = editorTemplate.value;
  const problem = editorProblem(template);
  return (
    <details class="components">
      <summary>{template === '' ? 'Open frames in your editor' : 'Editor links'}</summary>
      <div class="editor-setup">
        <label for="editor-template">Link to a line of your checkout</label>
        <input
          id="editor-template"
          class="mono"
          value={template}
          placeholder="vscode://file/home/ada/shop/{path}:{line}"
          spellcheck={false}
          aria-describedby="editor-hint"
          onChange={({ currentTarget }) => setEditorTemplate(currentTarget.value)}
        />
        <p class={problem === null ? 'soft' : 'problem'} id="editor-hint">
          {problem ?? 'Stored in this browser. {project}, {path} and {line} are replaced.'}
        </p>
      </div>
    </details>
  );
}

/** Tags and other metadata of the event. */
function Tags({ run }: { readonly run: Run }) {
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
    <dl class="tags flow">
      {rows.map(([name, value]) => (
        <div key={name}>
          <Text as="dt" of={name} />
          <dd class="untrusted">
            <Marked text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Switches between the originals and the built code; nothing if no source map was used. */
function SourceMapSwitch({ stack }: { readonly stack: PlacedStack | null }) {
  if (stack?.originals === undefined) return null;
  return (
    <Button
      small
      aria-pressed={minified.value}
      onClick={() => {
        minified.value = !minified.value;
      }}
    >
      Minified
    </Button>
  );
}

interface MissingProps {
  readonly stack: PlacedStack | null;
  /** The run waits for its analysis. */
  readonly waits: boolean;
}

/** The built files that no source map explains, each with the command that uploads it. */
function MissingSourceMaps({ stack, waits }: MissingProps) {
  const missing = stack?.missing_source_maps ?? [];
  const commands = [...new Set(missing.map(({ command }) => command))];
  if (missing.length === 0) return null;
  return (
    <div class="callout" data-tone="amber">
      {missing.map((one) => (
        <Text as="p" of={`There is ${missingMapText(one)}.`} key={one.file} />
      ))}
      {commands.map((command) => (
        <p key={command}>
          <Text as="code" of={command} /> <Copy what="the command" text={command} />
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
function MissingAtGateOne({ run }: { readonly run: Run }) {
  const stack = useAsked(
    () => api.getStack({ run_id: run.run_id }).catch(nullIfNotFound),
    `${run.run_id} ${run.version}`,
  );
  return <MissingSourceMaps stack={stack} waits />;
}

/** An exception as it is shown: with the originals of its frames, unless the reader wants the built code. */
function originalException(
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
