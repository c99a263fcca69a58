import { NO_SUSPECT } from '../../domain/suspect.js';
import type { Section } from '../draft/draft-source.js';
import { codeSpan } from '../draft/safe-markdown.js';
import type { BriefSource } from './brief-source.js';
import { hasRequest, hasVariables } from './reproduce-section.js';

const MOST_TRIMMED = 5;

/** What a reader must not take for known. */
export function unknownSection(source: BriefSource): readonly Section[] {
  const facts = [...crashUnknowns(source), ...(source.analysed ? codeUnknowns(source) : [NOT_ANALYSED])];
  const text = ['### Unknown', facts.map((fact) => `- ${fact}`).join('\n')].join('\n\n');
  return [{ name: 'what is unknown', expendable: 0, text }];
}

const NOT_ANALYSED =
  'The run has not passed Gate 1: its lines in the repository, its suspects and its tests were not looked up.';

function crashUnknowns(source: BriefSource): readonly string[] {
  const { event } = source;
  const facts = ['Whether these steps reproduce the crash: nothing was run.'];
  if (!hasRequest(source)) facts.push('What was asked of the program: the crash reports no request.');
  if (!hasVariables(source)) facts.push('The values of variables: the crash reports none.');
  if (event.redactions > 0)
    facts.push(`${event.redactions} ${event.redactions === 1 ? 'value was' : 'values were'} redacted.`);
  if (event.trimmed.length > 0) {
    const parts = event.trimmed.slice(0, MOST_TRIMMED).map((path) => codeSpan(path, 80));
    const more =
      event.trimmed.length > MOST_TRIMMED ? ` and ${event.trimmed.length - MOST_TRIMMED} more` : '';
    facts.push(`Parts of the crash were cut for length: ${parts.join(', ')}${more}.`);
  }
  return facts;
}

function codeUnknowns(source: BriefSource): readonly string[] {
  const { revision, located, suspects, no_suspect, explanation, files, truncated, outdated } = source;
  const facts: string[] = [];
  if (outdated) facts.push('Whether the latest crash differs: an earlier one was analysed.');
  if (revision === null) facts.push('The crashed commit.');
  else if (revision.how === 'date' || revision.how === 'head')
    facts.push('The crashed commit: the one above is a guess. Lines may differ.');
  if (located.length === 0) facts.push('The crashed line: no frame maps to a file of the repository.');
  if (located[0]?.verified === false)
    facts.push('The crashed line: the reported source line does not match the repository.');
  const [first] = suspects;
  if (first === undefined) facts.push(`The cause. ${NO_SUSPECT[no_suspect?.code ?? 'no_candidates']}`);
  else if (first.verdict === 'recent') facts.push('The cause: no commit stands out.');
  if (explanation.insufficient) facts.push('The mechanism: the evidence does not support an explanation.');
  if (files.length > 0 && source.tests.length + source.changedTests.length === 0)
    facts.push(
      `Which tests run these files: none is named after them or changed with them${truncated ? ', but the list of files is incomplete' : ''}.`,
    );
  return facts;
}
