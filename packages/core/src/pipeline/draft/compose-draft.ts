import { canonicalDraft, DRAFT_LIMITS, type Draft, type DraftContent } from '../../domain/draft.js';
import type { Door } from '../../domain/event.js';
import { type CodeOwner, type OwnerRule, ownedFiles } from '../../domain/ownership.js';
import type { Source } from '../../domain/source.js';
import type { Suspect } from '../../domain/suspect.js';
import { trustOf } from '../../domain/trust.js';
import type { AnalysisConfig } from '../analysis.js';
import { sha256Hex } from '../hash.js';
import { proposedAssignees } from '../owners/find-owners.js';
import { type TextScrubber, textScrubber } from '../scrub-text.js';
import { blameSection, NO_VERDICT_LABEL } from './blame-section.js';
import { causesSection, reportedStack } from './causes-section.js';
import type { DraftSource, DraftText, Section } from './draft-source.js';
import { explanationSection } from './explanation-section.js';
import { codeSpan, link, safeTitle, safeUrl, tableCell } from './safe-markdown.js';
import { scrubMarkdown } from './scrub-markdown.js';
import { EXCERPT, stackSection } from './stack-section.js';
import { suspectSection } from './suspect-section.js';
import { whatHappened } from './what-happened.js';

export type DraftConfig = Pick<
  AnalysisConfig,
  'publishRepository' | 'labels' | 'assignees' | 'assign' | 'commitLabels' | 'scrub' | 'reopens'
>;

const BODY_CHARS = DRAFT_LIMITS.bodyChars - DRAFT_LIMITS.trailerChars;

/** Composes the issue. Pure: the same source gives the same bytes on any machine, in any time zone and locale. */
export function composeDraft(source: DraftSource, config: DraftConfig): Draft {
  const scrub = textScrubber(config.scrub);
  const { reopens } = config;
  const labels = reopens ? [] : labelsOf(source.suspects, config);
  const content: DraftContent = {
    repository: config.publishRepository,
    title: safeTitle(scrub(source.incident.title)),
    body: joined(scrubbed(sectionsOf({ ...source, scrub, labels }), scrub), BODY_CHARS),
    labels,
    assignees: reopens ? [] : assigneesOf(source, config),
    ...(reopens && { reopens }),
  };
  const trust = trustOf(source.event);
  return { ...content, digest: sha256Hex(canonicalDraft(content)), edited_by: null, trust };
}

/** Once more as a whole: paths of the code host, and parts that are harmless only on their own. */
const scrubbed = (sections: readonly Section[], scrub: TextScrubber): readonly Section[] =>
  sections.map((section) => ({ ...section, text: scrubMarkdown(section.text, scrub) }));

/** In the order in which an on-call engineer reads: what, where, which change, why, other suspects, details. */
function sectionsOf(source: DraftText): readonly Section[] {
  const stack = stackSection(source);
  const excerpt = stack.filter(({ name }) => name === EXCERPT);
  return [
    ...whatHappened(source),
    ...excerpt,
    ...causesSection(source),
    ...suspectSection(source),
    ...explanationSection(source),
    ...blameSection(source),
    ...ownersSection(source),
    ...stack.filter((section) => !excerpt.includes(section)),
    ...reportedStack(source),
    ...detailsSection(source),
  ];
}

/** Joins the sections. If they exceed `most` characters, drops the most expendable ones and lists them in a note. */
export function joined(sections: readonly Section[], most: number): string {
  const left = [...sections];
  const omitted: string[] = [];
  for (;;) {
    const note = omitted.length === 0 ? [] : [`Omitted for length: ${omitted.join(', ')}.`];
    const body = [...left.map(({ text }) => text), ...note].join('\n\n');
    const next = left.reduce<Section | null>(
      (worst, section) => (section.expendable > (worst?.expendable ?? 0) ? section : worst),
      null,
    );
    if (body.length <= most || next === null) return body;
    left.splice(left.indexOf(next), 1);
    omitted.push(next.name);
  }
}

function assigneesOf({ suspects, ownership = null }: DraftSource, config: DraftConfig): readonly string[] {
  return proposedAssignees({ assignees: config.assignees, assign: config.assign, suspects, ownership });
}

function labelsOf(suspects: readonly Suspect[], config: DraftConfig): readonly string[] {
  const verdict = suspects[0]?.verdict ?? 'recent';
  const labels = [
    'culprit',
    verdict === 'recent' ? NO_VERDICT_LABEL : `suspect:${verdict}`,
    ...config.labels,
  ];
  if (config.commitLabels) {
    const named = suspects.filter((suspect) => suspect.verdict !== 'recent');
    labels.push(...named.map(({ sha }) => `suspect:${sha.slice(0, 7)}`));
  }
  const fitting = labels.filter((label) => label.length <= DRAFT_LIMITS.labelChars);
  return [...new Set(fitting)].slice(0, DRAFT_LIMITS.labels);
}

const MAX_TAGS = 12;
const DOOR_WORDS: Readonly<Record<Door, string>> = {
  webhook: 'the signed webhook',
  native: 'the native door (service token)',
  sdk: 'the SDK door (public key)',
  embedded: 'the embedding application',
};

/** Identifiers and tags for finding the crash in other systems. */
function detailsSection({ event, incident, scrub }: DraftText): readonly Section[] {
  const rows: (readonly [string, string])[] = [
    ['level', incident.level],
    ['platform', incident.platform],
    ...(event.server_name === null ? [] : [['server', event.server_name] as const]),
    ...Object.entries(event.tags)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MAX_TAGS),
    ['event', event.event_id],
    ['fingerprint', incident.fingerprint.hash.slice(0, 16)],
  ];
  const lines = rows.map(
    ([name, value]) => `| ${tableCell(codeSpan(name, 60))} | ${tableCell(codeSpan(scrub(value), 160))} |`,
  );
  const doors = doorsOf(incident);
  const table = ['| Field | Value |', '|---|---|', `| Reported through | ${doors} |`, ...lines].join('\n');
  return [
    {
      name: 'details',
      expendable: 10,
      text: `<details><summary>Details</summary>\n\n${table}\n\n</details>`,
    },
  ];
}

/** With counts if crashes came in several ways. */
function doorsOf({ doors, sources }: DraftText['incident']): string {
  if (sources === undefined) return doors.map((door) => DOOR_WORDS[door]).join(', ');
  return sources
    .map((source) => {
      const alone = sources.length === 1 || source.occurrences === 0;
      return alone ? wayOf(source) : `${wayOf(source)}: ${source.occurrences}`;
    })
    .join(', ');
}

/** A webhook is named by its trackers, because several share that door. */
function wayOf({ door, trust, trackers = [] }: Source): string {
  const open = door !== 'sdk' && trust === 'untrusted';
  const words = open ? `the ${door} door (public key)` : DOOR_WORDS[door];
  if (door !== 'webhook' || trackers.length === 0) return words;
  return `${words} of ${trackers.map((name) => tableCell(codeSpan(name, 40))).join(' and ')}`;
}

/** Files listed: the crashed one, and some of the suspects'. The run has all. */
const MAX_FILES = 4;
const MAX_OWNERS = 6;

/** Who owns the crashed file and the suspects', beside the suspects. In code spans, so that nobody is notified. */
function ownersSection({ ownership }: DraftSource): readonly Section[] {
  if (!ownership) return [];
  const rows = ownedFiles(ownership)
    .slice(0, MAX_FILES)
    .map(({ path, rules }) => {
      const ruled = rules.map(ruleText).join('; ');
      return `- ${codeSpan(path, 200)} ${ruled}.`;
    });
  if (rows.length === 0) return [];
  return [{ name: 'the owners', expendable: 3, text: `### Owners\n\n${rows.join('\n')}` }];
}

function ruleText({ owners, line, section, url }: OwnerRule): string {
  const place = link(`CODEOWNERS line ${Math.trunc(line)}`, safeUrl(url));
  const where = section === null ? place : `${place}, section ${codeSpan(section, 60)}`;
  if (owners.length === 0) return `has no owner (${where})`;
  const shown = owners.slice(0, MAX_OWNERS).map(ownerText);
  const more = owners.length > MAX_OWNERS ? [`${owners.length - MAX_OWNERS} more`] : [];
  return `is owned by ${[...shown, ...more].join(', ')} (${where})`;
}

/** An issue may have more readers than the code, and keeps what it once said: it has no mail addresses. */
function ownerText({ kind, name }: CodeOwner): string {
  return kind === 'email' ? 'a mail address' : codeSpan(name, 100);
}
