import { readFileSync } from 'node:fs';
import { parseEnvelope } from '@culprit/connectors/sentry';
import { CulpritError, type JsonValue, type SanitiserRule } from '@culprit/core';
import type { Finding } from '@culprit/core/internal/pipeline/sanitise/findings';
import { ISSUER_TOKENS } from '@culprit/core/internal/pipeline/sanitise/issuers';
import { createSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { sanitiserOptions } from '../config/config.js';
import { currentConfig } from '../config/load-config.js';
import { print } from '../log/terminal.js';
import { EXIT } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { KEY_KINDS_WHAT } from './scrub-kinds.js';
import { CONFIG_FLAG } from './server-flags.js';

export const usage: CommandUsage = {
  forms: ['scrub FILE [--show] [flags]'],
  flags: { show: { meaning: 'print the redacted text itself, not only its length' }, ...CONFIG_FLAG },
  notes: [
    'FILE is a crash or event as JSON, an SDK envelope, or any text; - reads standard input. The rules are those of this configuration (SCRUB_EMAIL, SCRUB_IP, scrub.rules).',
  ],
};

/** Prints each finding; resolves with 0 whether there are any or not. */
export async function run(flags: ReadFlags): Promise<number> {
  const file = flags.only('Name one file: culprit scrub FILE, or - for standard input.');
  const sanitiser = createSanitiser(sanitiserOptions(currentConfig({ config: flags.text('config') })));
  const found = documentsOf(read(file)).flatMap(({ name, value }) =>
    sanitiser.findings(value).map((finding) => ({ ...finding, path: joined(name, finding.path) })),
  );
  const report = found.map((finding) => explained(finding, sanitiser.rules, flags.has('show')));
  if (flags.has('json')) printJson({ findings: report });
  else print(printed(report));
  return EXIT.done;
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new CulpritError('not_found', `Cannot read ${file} (${code}).`);
  }
}

interface Document {
  readonly name: string;
  readonly value: JsonValue;
}

/** JSON, else the JSON items of an envelope, else the text as it is. */
function documentsOf(bytes: Uint8Array): readonly Document[] {
  const text = Buffer.from(bytes).toString('utf8');
  const whole = parsed(text);
  if (whole !== undefined) return [{ name: '', value: whole }];
  try {
    return parseEnvelope(bytes).items.flatMap(({ type, payload }, index) => {
      const value = parsed(Buffer.from(payload).toString('utf8'));
      return value === undefined ? [] : [{ name: `${type}[${index}]`, value }];
    });
  } catch {
    return [{ name: '', value: text }];
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const joined = (name: string, path: string) => [name, path].filter((part) => part !== '').join('.');

interface Explained {
  readonly path: string;
  readonly rules: readonly string[];
  readonly why: string;
  readonly after: string;
  readonly taken: readonly (string | number)[];
}

function explained(finding: Finding, rules: readonly SanitiserRule[], show: boolean): Explained {
  const { path, because, name, in_name, taken, after } = finding;
  const why =
    because === 'name'
      ? `a member named ${name} contains ${KEY_KINDS_WHAT[finding.rules[0] ?? ''] ?? 'a secret'}`
      : [...new Set(finding.rules.map((id) => whatOf(id, rules)))].join('; ');
  return {
    path,
    rules: finding.rules,
    why: in_name ? `in the name of a member: ${why}` : why,
    after,
    taken: show ? taken : taken.map((text) => text.length),
  };
}

function whatOf(id: string, rules: readonly SanitiserRule[]): string {
  const rule = [...rules, ...ISSUER_TOKENS].find((known) => known.id === id);
  return rule?.what ?? KEY_KINDS_WHAT[id] ?? id;
}

function printed(report: readonly Explained[]): string {
  const lines = report.map(({ path, rules, why, after, taken }) => {
    const what = taken.map((part) =>
      typeof part === 'number' ? `${part} characters` : JSON.stringify(part),
    );
    return `${path === '' ? '(text)' : path}\n  redacted  ${what.join(', ')}\n  why       ${why} (${rules.join(', ')})\n  result    ${JSON.stringify(after.slice(0, 300))}\n`;
  });
  const sum = report.reduce((count, { rules }) => count + rules.length, 0);
  const end = sum === 0 ? 'Nothing would be redacted.' : `${sum} redactions in ${report.length} places.`;
  return `${lines.join('')}${end}\n`;
}
