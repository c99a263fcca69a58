import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseEnvelope } from '@culprit/connectors/sentry';
import {
  CulpritError,
  createSanitiser,
  type Finding,
  ISSUER_TOKENS,
  type JsonValue,
  type SanitiserRule,
} from '@culprit/core';
import { loadScrub } from '../config/load-scrub.js';
import { usageError } from './exit-codes.js';
import { KEY_KINDS_WHAT } from './scrub-kinds.js';

const HELP = `culprit scrub: what would be taken out of a crash before it is stored, and why

  culprit scrub FILE [--json] [--show]

FILE is a crash or event as JSON, an SDK's envelope, or any text; - reads standard input. The rules are those of this
configuration (SCRUB_EMAIL, SCRUB_IP, scrub.rules).

  --json          findings as JSON, one document
  --show          also print what goes; without it only its length
  --config FILE   settings as JSON (CULPRIT_CONFIG; default culprit.json where it exists)
`;

/** Prints each finding; resolves with 0 whether there are any or not. */
export async function scrub(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    options: {
      json: { type: 'boolean' },
      show: { type: 'boolean' },
      config: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    strict: true,
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    throw usageError('Name one file: culprit scrub FILE, or - for standard input.');
  }
  const sanitiser = createSanitiser(loadScrub(values.config));
  const found = documentsOf(read(file)).flatMap(({ name, value }) =>
    sanitiser.findings(value).map((finding) => ({ ...finding, path: joined(name, finding.path) })),
  );
  const show = values.show === true;
  const report = found.map((finding) => explained(finding, sanitiser.rules, show));
  process.stdout.write(
    values.json === true ? `${JSON.stringify({ findings: report }, null, 2)}\n` : printed(report),
  );
  return 0;
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new CulpritError('not_found', `${file} cannot be read (${code}).`);
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
      ? `the name ${name} says that its value is ${KEY_KINDS_WHAT[finding.rules[0] ?? ''] ?? 'a secret'}`
      : [...new Set(finding.rules.map((id) => whatOf(id, rules)))].join('; ');
  return {
    path,
    rules: finding.rules,
    why: in_name ? `in a member’s name: ${why}` : why,
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
    return `${path === '' ? '(text)' : path}\n  goes   ${what.join(', ')}\n  why    ${why} (${rules.join(', ')})\n  stays  ${JSON.stringify(after.slice(0, 300))}\n`;
  });
  const sum = report.reduce((count, { rules }) => count + rules.length, 0);
  const end =
    sum === 0 ? 'Nothing would be taken out.' : `${sum} would be taken out, in ${report.length} places.`;
  return `${lines.join('')}${end}\n`;
}
