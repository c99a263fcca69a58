import {
  type Connector,
  type Event,
  isCulpritError,
  type JsonObject,
  silentLogger,
  systemClock,
} from '@culprit/core';
import { type CodeHost, timeLimit } from '@culprit/core/connector';
import type { CodeMapping } from '@culprit/core/internal/domain/code-mapping';
import { furtherGaps, remedyOf } from '@culprit/core/internal/domain/suspect';
import { likelihood, unratedTexts, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { analyse } from '@culprit/core/internal/pipeline/analyse';
import type { AnalysisResult, AnalysisStep } from '@culprit/core/internal/pipeline/analysis';
import { fingerprintEvent } from '@culprit/core/internal/pipeline/fingerprint/fingerprints-of';
import { explainFrame } from '@culprit/core/internal/pipeline/locate/explain-frame';
import { namedPaths } from '@culprit/core/internal/pipeline/locate/named-paths';
import { indexTree } from '@culprit/core/internal/pipeline/locate/tree-index';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { titleOf } from '@culprit/core/internal/pipeline/normalise/title-of';
import { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { hostOf } from '../compose/core-parts.js';
import { canonicalAddress } from '../compose/hosts/hosts.js';
import type { Config } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { currentConfig } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { print } from '../log/terminal.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { ownerLines } from './runs-text.js';

export const usage: CommandUsage = {
  forms: ['blame PATH[:LINE[:COLUMN][:FUNCTION]] [flags]'],
  flags: {
    repository: {
      value: 'DIR|OWNER/NAME',
      meaning: 'where the code is (REPOSITORY; default: this directory)',
    },
    release: { value: 'NAME', meaning: 'the release that crashed: a tag, a version, name@version or a SHA' },
    commit: { value: 'SHA', meaning: 'the commit that crashed; without --commit and --release, HEAD' },
    platform: {
      value: 'NAME',
      meaning: 'one of python, node, javascript, java, go, ruby, php, csharp, rust, native',
    },
    module: { value: 'NAME', meaning: 'the frame’s module, such as com.shop.Cart' },
    function: { value: 'NAME', meaning: 'the frame’s function' },
    mapping: { value: 'STACK=SOURCE', meaning: 'a code mapping, tried before CODE_MAPPINGS', many: true },
    error: { value: 'TEXT', meaning: 'the error, such as "TypeError: x is undefined"' },
    source: { value: 'TEXT', meaning: 'the crashed source line, to find it if lines have moved' },
    diffs: { value: 'N', meaning: 'maximum number of diffs to read (default 50)' },
  },
  notes: [
    'PATH is a path from a stack, such as /srv/app/dist/cart.js, webpack://shop/./src/cart.ts or C:\\app\\Cart.cs. Without a line, only the file that it maps to is shown.',
  ],
};

/** Exit code 3 if there is no suspect; without a line, if the path maps to no file. */
export async function run(flags: ReadFlags): Promise<number> {
  const problem = 'A frame is missing: culprit blame PATH:LINE, such as src/cart.js:41.';
  const text = flags.only(problem);
  const parsed = /^(.+?)(?::(\d{1,9})(?::(\d{1,9}))?(?::(.+))?)?$/s.exec(text);
  if (parsed === null) throw usageError(problem);
  const [, file = '', line, column, name] = parsed;
  const source = flags.text('source');
  const frame = {
    file,
    line: Number(line ?? 1),
    ...(line === undefined ? {} : { in_app: true }),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(name === undefined ? {} : { function: name }),
    ...(source === null ? {} : { context_line: source }),
  };
  const event = eventOf(flags, frame, flags.text('error'));
  const signal = timeLimit(120_000);
  const place = await openPlace(flags, signal);
  try {
    const mapping = await mappingOf(event, place, signal).catch((error: unknown) => {
      if (!isCulpritError(error, 'revision_not_found') && !isCulpritError(error, 'revision_foreign'))
        throw error;
      if (line === undefined) throw new CommandFailure(error.message, EXIT.notFound, error.code);
      // The analysis reports it below.
      return null;
    });
    const { located = null, ...rules } = mapping ?? {};
    const mapped = { frame: text, ...rules, path: located?.path ?? null, how: located?.how ?? null };
    if (line === undefined) {
      if (flags.has('json')) printJson(mapped);
      else if (mapping !== null) printMapping(mapping);
      return located === null ? EXIT.notFound : EXIT.done;
    }
    const steps: AnalysisStep[] = [];
    const result = await suspectsOf(event, place, flags.count('diffs', 50, 500), signal, steps);
    const shown = steps
      .filter(({ name: step }) => step !== 'explain' && step !== 'compose')
      .map(({ name: step, detail }) => ({ step, detail }));
    const { revision, suspects, no_suspect, ownership } = result;
    if (flags.has('json')) printJson({ ...mapped, revision, suspects, no_suspect, ownership, steps: shown });
    else {
      if (mapping !== null) printMapping(mapping);
      printResult(result, shown);
    }
    return suspects.length === 0 ? EXIT.notFound : EXIT.done;
  } finally {
    await place.close();
  }
}

/** The file of the repository that the crash's only frame maps to, and what each rule found. */
async function mappingOf(
  event: Event,
  { codeHost, repository, mappings, hints }: CodePlace,
  signal: AbortSignal,
) {
  const [frame] = event.exceptions[0]?.frames ?? [];
  if (frame === undefined) throw usageError('PATH is empty.');
  const { platform } = event;
  const paths = namedPaths([frame], platform, mappings);
  const { revision, ...tree } = await codeHost.tree(repository, { ...hints, paths }, signal);
  const { located, steps } = explainFrame(frame, platform, mappings, indexTree(tree.paths));
  const { sha, how } = revision;
  const { truncated } = tree;
  return { platform, located, revision: { sha, how }, files: tree.paths.length, truncated, mapping: steps };
}

function suspectsOf(
  event: Event,
  { codeHost, repository, mappings }: CodePlace,
  diffBudget: number,
  signal: AbortSignal,
  steps: AnalysisStep[],
): Promise<AnalysisResult> {
  return analyse(
    {
      run_id: 'run_cli',
      project: 'default',
      generation: 1,
      cycle: 1,
      incident: {
        title: titleOf(event),
        fingerprint: fingerprintEvent(event),
        level: event.level,
        platform: event.platform,
        occurrences: 1,
        first_seen: event.timestamp,
        last_seen: event.timestamp,
        releases: event.release === null ? [] : [event.release],
        environments: [],
        doors: ['native'],
        regression_of: null,
      },
      event,
      config: {
        repository,
        publishRepository: repository,
        mappings,
        labels: [],
        assignees: [],
        commitLabels: false,
        diffBudget: Math.min(diffBudget, codeHost.diffsAtMost ?? diffBudget),
      },
      analyzedAt: event.timestamp,
    },
    {
      codeHost,
      explainers: [],
      explainMs: 1_000,
      clock: systemClock,
      signal,
      onStep: (step) => void steps.push(step),
    },
  );
}

/** A row with its name. */
function say(name: string, detail: string): void {
  print(`${name.padEnd(10)}${clipped(detail, 400)}\n`);
}

function printMapping({
  platform,
  revision: { sha, how },
  files,
  truncated,
  mapping,
}: Omit<Awaited<ReturnType<typeof mappingOf>>, 'located'>): void {
  say('revision', `${sha.slice(0, 12)}, by ${how}; ${files} files${truncated ? ', truncated' : ''}`);
  say('platform', platform);
  for (const { step, detail } of mapping) say(step, detail);
}

function printResult(
  { revision, suspects, no_suspect, ownership }: AnalysisResult,
  steps: readonly { readonly step: string; readonly detail: unknown }[],
): void {
  for (const { step, detail } of steps) say(step, JSON.stringify(detail));
  if (no_suspect !== null) {
    const { text, command } = remedyOf(no_suspect.code);
    say('none', `${no_suspect.code}: ${no_suspect.detail}`);
    say('to fix', command === undefined ? text : `${text} ${command}`);
  }
  for (const { detail, command } of furtherGaps(revision?.gaps, no_suspect))
    say('missing', command === null ? detail : `${detail} To get it: ${command}`);
  for (const [name, detail] of ownerLines(ownership)) say(name, oneLine(detail));
  for (const why of unratedTexts(suspects)) say('unrated', `no probability: ${why}`);
  suspects.forEach((suspect, index) => {
    const { sha, title, author, committed_at, verdict, probability, reasons, components } = suspect;
    print('\n');
    say(`${index + 1}.`, `${sha.slice(0, 12)} ${title} (${author.name}, ${committed_at.slice(0, 10)})`);
    say(
      '',
      `${[VERDICT_WORDS[verdict], ...(probability === null ? [] : [likelihood(suspect)])].join(', ')}: ${reasons.map(({ text }) => text).join('; ')}`,
    );
    const parts = Object.entries(components).map(([part, value]) => `${part} ${value.toFixed(2)}`);
    say('', `score ${parts.join(' + ')}`);
  });
}

export interface CodePlace {
  readonly codeHost: CodeHost;
  readonly repository: string;
  readonly mappings: readonly CodeMapping[];
  readonly hints: { readonly commit: string | null; readonly release: string | null; readonly at: string };
  close(): Promise<void>;
}

/** The connector of the repository's code host, for one command. */
export function codeConnectors(config: Config, repository: string): readonly Connector[] {
  return hostOf(repository, 'codeHost')
    .compose({
      config,
      roles: { codeHost: true, publisher: false },
      repositories: [{ project: DEFAULT_PROJECT, address: repository, role: 'codeHost' }],
      tryWriting: false,
      serving: false,
    })
    .connectors(config.publicUrl ?? urlOf(config.host, config.corePort));
}

/** Opens only the code host of the configuration. No storage is opened; nothing is written. */
export async function openPlace(flags: ReadFlags, signal: AbortSignal): Promise<CodePlace> {
  const cwd = process.cwd();
  const config = currentConfig({ data: flags.text('data'), config: flags.text('config') });
  const given = flags.text('repository');
  const repository = given === null ? (config.repository ?? cwd) : canonicalAddress(given, { cwd });
  const [connector] = codeConnectors(config, repository);
  const parts = await connector?.setup({ fetch, logger: silentLogger, signal });
  if (parts?.codeHost === undefined) throw new Error(`${connector?.id} provides no code host`);
  return {
    codeHost: parts.codeHost,
    repository,
    mappings: [...flags.all('mapping').map(codeMappingOf), ...config.codeMappings],
    hints: { commit: flags.text('commit'), release: flags.text('release'), at: new Date().toISOString() },
    close: async () => parts.close?.(),
  };
}

function codeMappingOf(text: string): CodeMapping {
  const at = text.indexOf('=');
  if (at < 0) throw usageError('--mapping must be STACK=SOURCE, such as --mapping /srv/app/=packages/app/.');
  return { stack_root: text.slice(0, at), source_root: text.slice(at + 1) };
}

/** A crash with one frame, normalised like a delivery. */
function eventOf(flags: ReadFlags, frame: JsonObject, error: string | null): Event {
  const now = new Date().toISOString();
  const platform = flags.text('platform');
  const known = { module: flags.text('module'), function: flags.text('function') };
  const commit = flags.text('commit');
  const crash = {
    message: error ?? 'crash',
    ...(platform === null ? {} : { platform }),
    ...(commit === null ? {} : { tags: { commit } }),
    ...(flags.text('release') === null ? {} : { release: flags.text('release') }),
    stack_trace: { frames: [{ ...known, ...frame }] },
  };
  return normalise({
    sequence: 1,
    event_id: 'cli',
    project: 'default',
    door: 'native',
    tracker: 'cli',
    received_at: now,
    raw_sha256: '',
    headers: {},
    attachments: [],
    redactions: 0,
    crash: sanitiseJson(crash).value as JsonObject,
  });
}
