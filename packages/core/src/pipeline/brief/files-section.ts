import type { Section } from '../draft/draft-source.js';
import { codeSpan } from '../draft/safe-markdown.js';
import { BRIEF_SUSPECTS } from './brief-files.js';
import type { BriefSource } from './brief-source.js';

const MOST_LINES = 8;

/** The files to read, with the lines of the stack trace and the suspects that changed them. */
export function filesSection(source: BriefSource): readonly Section[] {
  const { files, located, suspects } = source;
  if (files.length === 0) return [];
  const lines = files.map((path) => {
    const placed = located.filter((one) => one.path === path);
    const numbers = [...new Set(placed.map(({ line }) => line))].slice(0, MOST_LINES);
    const roles = [
      ...(numbers.length === 0 ? [] : [`${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}`]),
      ...(located[0]?.path === path ? ['crashed here'] : []),
      ...suspects
        .slice(0, BRIEF_SUSPECTS)
        .filter(({ hunk }) => hunk?.path === path)
        .map(
          ({ sha }) =>
            `changed by ${codeSpan(sha.slice(0, 7))}${placed.length === 0 ? ' under this name' : ''}`,
        ),
    ];
    return `- ${codeSpan(path, 200)}: ${roles.join('; ')}`;
  });
  return [
    {
      name: 'the files',
      expendable: 0,
      text: ['### Files', 'At the crashed commit.', lines.join('\n')].join('\n\n'),
    },
  ];
}

/** Tests by the names of these files, and those that changed together with them. */
export function testsSection({ analysed, tests, changedTests }: BriefSource): readonly Section[] {
  const others = changedTests.filter(({ path }) => !tests.includes(path));
  if (!analysed || tests.length + others.length === 0) return [];
  const named = tests.map((path) => `- ${codeSpan(path, 200)}`);
  const changed = others.map(({ path, sha }) => `- ${codeSpan(path, 200)}, by ${codeSpan(sha.slice(0, 7))}`);
  const parts = [
    '### Tests',
    ...listUnder('Found by their names, so they may test something else. None was run.', named),
    ...listUnder('Changed by a commit that also changed these files. None was run.', changed),
  ];
  return [{ name: 'the tests', expendable: 3, text: parts.join('\n\n') }];
}

function listUnder(note: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [note, lines.join('\n')];
}
