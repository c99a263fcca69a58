import type { Event } from './event.js';
import type { Fingerprint } from './fingerprint.js';
import { trustOf } from './trust.js';

/** What one form of a crash has and another may lack, each as a short hash; empty: not sent. */
export interface Traits {
  /** The folders of the places, then the types of the exceptions, in the order of the family's parts. */
  readonly fixed: readonly string[];
  /** The source line that crashed. */
  readonly line: string;
  /** The release or commit that has that line. */
  readonly build: string;
}

/** Crashes at the same places. Their traits show which of them are one incident. */
export interface Family {
  /** A hash. */
  readonly name: string;
  readonly traits: Traits;
}

/** One incident of a family. All its runs have the same fingerprint, and every store keeps it as it is. */
export interface Group {
  /** The hash of that fingerprint: that of the group's first crash. */
  readonly hash: string;
  readonly fixed: readonly string[];
  /** Source lines of its crashes with their builds. The first stays first, the others are the latest. */
  readonly lines: readonly (readonly [line: string, build: string])[];
  /** No trusted crash so far. */
  readonly untrusted?: true;
}

/** The groups of a family that are distinguished; later crashes unlike all of them have only their own hash. */
const MAX_GROUPS = 50;
/** Lines of a group: a few of each of the last releases. */
const MAX_LINES = 20;

interface Grouped {
  readonly event: Event;
  readonly fingerprint: Fingerprint;
  readonly family?: Family | undefined;
}

/** A crash under the fingerprint of its group, and the family's groups after it: the same array if it taught nothing. */
export interface Joined<Crash extends Grouped> {
  readonly crash: Crash;
  readonly groups: readonly Group[];
}

/**
 * Finds the group of a crash in its family. Two crashes differ only by a trait that both have, so a form that lacks one joins
 * the oldest group that it does not contradict, and a group learns what its crashes have. The source line tells crashes of
 * one build apart, because a line that another build changed may be the same place. A crash that was placed once is placed
 * there again, whatever came between. An untrusted crash changes nothing in a group with a trusted one. Pure.
 */
export function joinFamily<Crash extends Grouped>(groups: readonly Group[], crash: Crash): Joined<Crash> {
  const { family, fingerprint, event } = crash;
  if (family === undefined) return { crash, groups };
  const { traits } = family;
  const untrusted = trustOf(event) === 'untrusted';
  const found = groupOf(groups, traits);
  if (found === undefined) {
    const { fixed, line, build } = traits;
    const lines = line === '' ? [] : [[line, build] as const];
    const started: Group = { hash: fingerprint.hash, fixed, lines, ...(untrusted ? { untrusted } : {}) };
    return { crash, groups: groups.length < MAX_GROUPS ? [...groups, started] : groups };
  }
  const learnt = untrusted && !found.untrusted ? found : learn(found, traits, untrusted);
  return {
    crash:
      found.hash === fingerprint.hash
        ? crash
        : { ...crash, fingerprint: { ...fingerprint, hash: found.hash } },
    groups: learnt === found ? groups : groups.map((one) => (one === found ? learnt : one)),
  };
}

/** Whether a run under another fingerprint counts this one's crashes: only that of an older version, until a newer run exists. */
export function continues(run: Fingerprint, crash: Fingerprint): boolean {
  return run.version !== crash.version;
}

function agree(some: readonly string[], others: readonly string[]): boolean {
  return some.every((one, at) => one === '' || !others[at] || one === others[at]);
}

function groupOf(groups: readonly Group[], { fixed, line, build }: Traits): Group | undefined {
  const alike = groups.filter((group) => agree(group.fixed, fixed));
  if (line === '' || alike.length === 0) return alike[0];
  return (
    alike.find(({ lines }) => lines.some(([known]) => known === line)) ??
    alike.find(({ lines }) => lines.every(([, of]) => of !== build))
  );
}

function learn(group: Group, { fixed: sent, line, build }: Traits, untrusted: boolean): Group {
  const known = line === '' || group.lines.some(([one, of]) => one === line && of === build);
  const same = group.fixed.every((one, at) => one !== '' || !sent[at]);
  if (known && same && (untrusted || !group.untrusted)) return group;
  const fixed = group.fixed.map((one, at) => one || (sent[at] ?? ''));
  const [first = [line, build] as const, ...rest] = group.lines;
  const lines = known
    ? group.lines
    : group.lines.length === 0
      ? [first]
      : [first, ...[...rest, [line, build] as const].slice(1 - MAX_LINES)];
  return { hash: group.hash, fixed, lines, ...(untrusted ? { untrusted } : {}) };
}
