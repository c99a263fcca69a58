import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { type Given, parseList, refuse } from './formats.js';
import type { ConfigSources } from './sources.js';

/** A connector that is not ours, as the configuration names it. */
export interface ExternalConnector {
  /** A package's name, or a path that begins with `.` or `/`. */
  readonly package: string;
  /**
   * What its factory is called with, variables filled in, so this may hold secrets. Throws `configuration` where one is
   * not set: only those who load the connector need them.
   */
  readonly settings: () => Readonly<Record<string, unknown>>;
  /** The folder from which the package is looked for. */
  readonly from: string;
}

const entrySchema = v.union([
  v.string(),
  v.strictObject({
    package: v.pipe(v.string(), v.nonEmpty()),
    config: v.optional(v.record(v.string(), v.unknown()), {}),
  }),
]);

/** `name,name`, or a JSON list of names and `{"package", "config"}`. */
export function readConnectors(given: Given, { env, cwd }: ConfigSources): readonly ExternalConnector[] {
  const listed = given.text.startsWith('[') ? parseJson(given) : parseList(given.text);
  const parsed = v.safeParse(v.array(entrySchema), listed);
  if (!parsed.success) return refuse(given, 'must list packages, or objects with "package" and "config"');
  return parsed.output.map((entry): ExternalConnector => {
    if (typeof entry === 'string') return { package: entry, settings: () => ({}), from: cwd };
    const settings = () => filled(entry.config, entry.package, env);
    return { package: entry.package, settings, from: cwd };
  });
}

function parseJson(given: Given): unknown {
  try {
    return JSON.parse(given.text);
  } catch {
    return refuse(given, 'must be valid JSON where it begins with [');
  }
}

const VARIABLE = /^\$([A-Za-z_][A-Za-z0-9_]*)$/;

/** Secrets stay out of the file: a text that is `$NAME` and nothing else is the variable's value. */
function filled(
  config: Readonly<Record<string, unknown>>,
  owner: string,
  env: ConfigSources['env'],
): Record<string, unknown> {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member)]));
    }
    const name = typeof value === 'string' ? VARIABLE.exec(value)?.[1] : undefined;
    if (name === undefined) return value;
    const found = env[name];
    if (found !== undefined && found !== '') return found;
    throw new CulpritError(
      'configuration',
      `The configuration of ${owner} names $${name}, which is not set in the environment.`,
      { path: 'connectors' },
    );
  };
  return Object.fromEntries(Object.entries(config).map(([name, member]) => [name, fill(member)]));
}
