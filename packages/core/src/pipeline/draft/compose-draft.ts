import { canonicalDraft, DRAFT_LIMITS, type Draft, type DraftContent } from '../../domain/draft.js';
import type { Suspect } from '../../domain/suspect.js';
import { trustOf } from '../../domain/trust.js';
import type { AnalysisConfig } from '../analysis.js';
import { sha256Hex } from '../hash.js';
import { proposedAssignees } from '../owners/proposed-assignees.js';
import { type TextScrubber, textScrubber } from '../scrub-text.js';
import { blameSection, NO_VERDICT_LABEL } from './blame-section.js';
import { causesSection, reportedStack } from './causes-section.js';
import { detailsSection } from './details-section.js';
import type { DraftSource, DraftText, Section } from './draft-source.js';
import { explanationSection } from './explanation-section.js';
import { ownersSection } from './owners-section.js';
import { safeTitle } from './safe-markdown.js';
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
