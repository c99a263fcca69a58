import type { RunState } from '@culprit/core';
import type { JSX } from 'preact';
import { ICONS, Icon } from './icons.js';

/** A word or two in a coloured shape. */
export function Pill({
  tone,
  ...rest
}: JSX.IntrinsicElements['span'] & { readonly tone?: string | undefined }) {
  return <span {...rest} class="pill" data-tone={tone} />;
}

interface StateLook {
  readonly words: string;
  readonly tone: 'amber' | 'violet' | 'blue' | 'green' | 'grey';
  readonly icon: keyof typeof ICONS;
}
export const STATES: Readonly<Record<RunState, StateLook>> = {
  staged_raw: { words: 'Gate 1', tone: 'amber', icon: 'gate' },
  analyzing: { words: 'Analysing', tone: 'blue', icon: 'work' },
  staged_draft: { words: 'Gate 2', tone: 'violet', icon: 'pen' },
  publishing: { words: 'Publishing', tone: 'blue', icon: 'work' },
  published: { words: 'Published', tone: 'green', icon: 'check' },
  rejected: { words: 'Rejected', tone: 'grey', icon: 'cross' },
  snoozed: { words: 'Snoozed', tone: 'grey', icon: 'moon' },
  merged: { words: 'Merged', tone: 'grey', icon: 'merge' },
};

/** Each state has a label and an icon, so that colour is never the only sign. */
export function StatePill({ state }: { readonly state: RunState }) {
  const { words, tone, icon } = STATES[state];
  return (
    <span class="pill" data-tone={tone} data-state={state}>
      <Icon path={ICONS[icon]} size={11} />
      {words}
    </span>
  );
}
