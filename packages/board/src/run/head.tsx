import type { PlacedStack, Run } from '@culprit/core';
import type { Resolution } from '@culprit/core/internal/domain/resolution';
import { api } from '../api.js';
import { Copy } from '../parts/copy.js';
import { Pill, StatePill } from '../parts/pill.js';
import { Out, oneLine, Text } from '../parts/text.js';
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
      <p class="line flow">
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
      <h2 id="run-title" tabIndex={-1}>
        {rest === null ? (
          <Text of={run.title} />
        ) : (
          <>
            <Text of={`${type}:`} class="type" /> <Text of={rest} />
          </>
        )}
      </h2>
      <Where run={run} stack={stack} />
    </header>
  );
}

/** The place of the crash: the frame found in the repository, otherwise the project's own frame that the event reports. */
function Where({ run, stack }: HeadProps) {
  const frames = run.event.exceptions[stack?.exception ?? run.event.exceptions.length - 1]?.frames ?? [];
  const placed = stack?.frames[0];
  const frame =
    placed === undefined
      ? (frames.findLast(({ in_app }) => in_app === true) ?? frames.at(-1))
      : frames[placed.frame];
  if (placed === undefined && frame === undefined) return null;
  const { function: name = null, file = null, line = null } = frame ?? {};
  const reported = file === null || line === null ? file : `${file}:${line}`;
  const place = placed === undefined ? reported : `${placed.path}:${placed.line}`;
  return (
    <p class="where soft">
      {name !== null && (
        <>
          in <Text as="code" of={name} />{' '}
        </>
      )}
      {place !== null && (
        <>
          at{' '}
          <Out to={placed?.url ?? null}>
            <Text as="code" of={place} />
          </Out>
        </>
      )}
      {placed !== undefined && place !== null && (
        <Copy what="the location of the crash" text={oneLine(place)} />
      )}
    </p>
  );
}
