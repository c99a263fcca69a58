import type { PlacedStack, Run } from '@culprit/core';
import type { Resolution } from '@culprit/core/internal/domain/resolution';
import { api } from '../api.js';
import { Copy } from '../parts/copy.js';
import { Pill, StatePill } from '../parts/pill.js';
import { Out, oneLine, Text, visible } from '../parts/text.js';
import { linkTo } from '../state/route.js';
import { COPY_BRIEF } from './copy-brief.js';

interface HeadProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

const LEVEL_TONES: Readonly<Record<Run['level'], string>> = {
  fatal: 'red',
  error: 'red',
  warning: 'amber',
  info: 'blue',
  debug: 'grey',
};

/** Why nobody works on the run any more. */
export const OVER: Readonly<Record<Resolution['as'], string>> = {
  fixed: 'fixed',
  not_planned: 'not planned',
  duplicate: 'duplicate',
};

export function RunHead({ run, stack }: HeadProps) {
  const type = run.event.exceptions.at(-1)?.type ?? null;
  const rest = type !== null && run.title.startsWith(`${type}: `) ? run.title.slice(type.length + 2) : null;
  return (
    <header class="run-head">
      <p class="line">
        <StatePill state={run.state} />
        <Pill tone={LEVEL_TONES[run.level]}>{run.level}</Pill>
        {run.resolution && (
          <Pill tone={run.resolution.as === 'fixed' ? 'green' : 'grey'}>{OVER[run.resolution.as]}</Pill>
        )}
        {run.regression_of !== null && (
          <a class="pill" data-tone="amber" href={`#${run.regression_of}`}>
            regression: it was over
          </a>
        )}
        {run.came_back_as !== undefined && (
          <a class="pill" data-tone="red" href={`#${run.came_back_as}`}>
            came back
          </a>
        )}
        <Text of={run.project} class="soft" />
        <span class="run-id">
          <code class="soft">{run.run_id}</code>
          <Copy what="the run ID" text={run.run_id} />
          <Copy what="a link to this run" text={linkTo(run)} label="Copy link" />
          <Copy
            what="the fix brief: one page to start a fix from (Y)"
            text={() => api.getBrief({ run_id: run.run_id })}
            id={COPY_BRIEF}
            label="Copy brief"
          />
        </span>
      </p>
      <h2 class="untrusted" id="run-title" tabIndex={-1}>
        {rest === null ? (
          visible(run.title)
        ) : (
          <>
            <span class="type">{visible(type ?? '')}:</span> {visible(rest)}
          </>
        )}
      </h2>
      <Where run={run} stack={stack} />
    </header>
  );
}

function Where({ run, stack }: HeadProps) {
  const exception = run.event.exceptions[stack?.exception ?? run.event.exceptions.length - 1];
  const placed = stack?.frames[0];
  if (placed !== undefined) {
    const name = exception?.frames[placed.frame]?.function ?? null;
    return (
      <p class="where untrusted">
        {name !== null && (
          <>
            in <code>{visible(name)}</code>{' '}
          </>
        )}
        at{' '}
        <Out to={placed.url}>
          <code>{visible(`${placed.path}:${placed.line}`)}</code>
        </Out>
        <Copy what="the place of the crash" text={oneLine(`${placed.path}:${placed.line}`)} />
      </p>
    );
  }
  const frames = exception?.frames ?? [];
  const last = frames.findLast(({ in_app }) => in_app === true) ?? frames.at(-1);
  if (last === undefined) return null;
  return (
    <p class="where untrusted">
      {last.function !== null && (
        <>
          in <code>{visible(last.function)}</code>{' '}
        </>
      )}
      {last.file !== null && (
        <>
          at <code>{visible(last.line === null ? last.file : `${last.file}:${last.line}`)}</code>
        </>
      )}
    </p>
  );
}
