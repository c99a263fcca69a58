import { CulpritError, type ProjectConfig } from '@culprit/core';
import { ASSIGN_RULES } from '@culprit/core/internal/domain/ownership';
import { CLOSED_ISSUES, REGRESSION_ISSUES, RESOLVED_RUNS } from '@culprit/core/internal/domain/resolution';
import { linearPattern } from '@culprit/core/internal/pipeline/sanitise/pattern-rule';
import type { ScrubRule } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import * as v from 'valibot';
import { canonicalAddress } from '../compose/hosts/hosts.js';
import { EDGE_LIMIT_SETTINGS, type EdgeLimitName } from '../edge/limits.js';
import { checkProject, DEFAULT_PROJECT } from './credentials.js';
import { type Given, type ReadContext, refuse, type SettingType, unknownKey } from './setting.js';
import { itemsOf } from './types.js';

/** A member of `culprit.json` that a schema describes. An unknown member is an error with a suggestion. */
function structured<Schema extends v.GenericSchema, Value>(
  format: string,
  schema: Schema,
  names: readonly string[],
  convert: (parsed: v.InferOutput<Schema>, given: Given, context: ReadContext) => Value,
): SettingType<Value> {
  return {
    format,
    structured: true,
    read(given, context) {
      const parsed = v.safeParse(schema, given.json ?? JSON.parse(given.text));
      if (parsed.success) return convert(parsed.output, given, context);
      const issue = parsed.issues[0];
      const path = [given.key, v.getDotPath(issue)].filter((part) => part !== null).join('.');
      if (issue.expected === 'never')
        throw unknownKey(`${path} is not a setting`, path.split('.').at(-1) ?? '', names);
      throw new CulpritError('configuration', `${path} ${issueText(issue)}.`, { path });
    },
  };
}

/** Our own messages complete "NAME …"; the library's name the type. */
function issueText({ message, expected }: v.BaseIssue<unknown>): string {
  return message.startsWith('must') ? message : `must be ${expected ?? 'valid'}`;
}

const LIMIT_NAMES = Object.keys(EDGE_LIMIT_SETTINGS) as EdgeLimitName[];
const limitEntries = Object.fromEntries(
  LIMIT_NAMES.map((name) => {
    const { max } = EDGE_LIMIT_SETTINGS[name];
    const range = max === Number.MAX_SAFE_INTEGER ? 'above 0' : `from 1 to ${max}`;
    const message = `must be a whole number ${range}`;
    const number = v.pipe(
      v.number(message),
      v.safeInteger(message),
      v.minValue(1, message),
      v.maxValue(max, message),
    );
    return [name, v.optional(number)];
  }),
);

/** The limits that differ from their defaults. */
export const limits = structured(
  '{"keyRate": 100, …}',
  v.strictObject(limitEntries),
  LIMIT_NAMES,
  (parsed): Readonly<Partial<Record<EdgeLimitName, number>>> => parsed as Record<string, number>,
);

const texts = v.optional(v.array(v.string()));
const picked = <const Choice extends string>(choices: readonly Choice[]) =>
  v.picklist(choices, `must be one of ${choices.join(', ')}`);
const projectEntries = {
  repository: v.optional(v.string()),
  publishRepository: v.optional(v.string()),
  mappings: v.optional(v.array(v.strictObject({ stack_root: v.string(), source_root: v.string() }))),
  labels: texts,
  assignees: texts,
  assign: v.optional(v.picklist(ASSIGN_RULES, `must be one of ${ASSIGN_RULES.join(', ')}`)),
  commitLabels: v.optional(v.boolean()),
  resolvedRuns: v.optional(picked(RESOLVED_RUNS)),
  closedIssues: v.optional(picked(CLOSED_ISSUES)),
  regressionIssues: v.optional(picked(REGRESSION_ISSUES)),
};

/** By name. */
export const projects = structured(
  '{"shop": {"repository", "publishRepository", "mappings", "labels", "assignees", "assign", "commitLabels", "resolvedRuns", "closedIssues", "regressionIssues"}}',
  v.record(v.string(), v.strictObject(projectEntries)),
  Object.keys(projectEntries),
  (parsed, { key }, context) => {
    const read = Object.entries(parsed).map(([name, project]): [string, ProjectConfig] => {
      checkProject({ origin: `projects.${name}`, key }, name);
      const addresses = (['repository', 'publishRepository'] as const).flatMap((member) => {
        const address = project[member];
        return address === undefined ? [] : [[member, canonicalAddress(address, context)] as const];
      });
      return [name, { ...(project as ProjectConfig), ...Object.fromEntries(addresses) }];
    });
    return Object.fromEntries(read);
  },
);

/** Every project; `default` has the settings of one project unless the file says otherwise. */
export function withDefaultProject(
  named: Readonly<Record<string, ProjectConfig>>,
  { repository, publishRepository, codeMappings, assign }: DefaultProject,
): Readonly<Record<string, ProjectConfig>> {
  const shared: ProjectConfig = {
    ...(repository === null ? {} : { repository }),
    ...(publishRepository === null ? {} : { publishRepository }),
    ...(codeMappings.length === 0 ? {} : { mappings: codeMappings }),
    ...(assign === 'none' ? {} : { assign }),
  };
  return { ...named, [DEFAULT_PROJECT]: { ...shared, ...named[DEFAULT_PROJECT] } };
}
export interface DefaultProject {
  readonly repository: string | null;
  readonly publishRepository: string | null;
  readonly codeMappings: NonNullable<ProjectConfig['mappings']>;
  readonly assign: NonNullable<ProjectConfig['assign']>;
}

const scrubEntries = {
  rules: v.optional(
    v.array(
      v.strictObject({
        id: v.pipe(v.string(), v.regex(/^[a-z0-9_-]{1,40}$/, 'must be 1 to 40 characters of a-z 0-9 _ -')),
        what: v.optional(v.string(), 'A rule of this installation'),
        pattern: v.string(),
        ignoreCase: v.optional(v.boolean(), false),
      }),
    ),
    [],
  ),
};

export const scrub = structured(
  '{"rules": [{"id", "what", "pattern", "ignoreCase"}]}',
  v.strictObject(scrubEntries),
  Object.keys(scrubEntries),
  ({ rules }): { readonly rules: readonly ScrubRule[] } => {
    for (const [index, { pattern, ignoreCase }] of rules.entries())
      linearPattern(pattern, { ignoreCase, path: `scrub.rules.${index}.pattern` });
    return { rules };
  },
);

/** A third-party connector. */
export interface ExternalConnector {
  /** A package name, or a path that starts with `.` or `/`. */
  readonly package: string;
  /**
   * The argument of its factory, with variables substituted, so it may contain secrets. Throws `configuration` if a variable
   * is not set, which only affects commands that load the connector.
   */
  readonly settings: () => Readonly<Record<string, unknown>>;
  /** The folder from which the package is resolved. */
  readonly from: string;
}

const connectorSchema = v.union([
  v.string(),
  v.strictObject({
    package: v.pipe(v.string(), v.nonEmpty()),
    config: v.optional(v.record(v.string(), v.unknown()), {}),
  }),
]);

/** `name,name`, or a JSON list of names and objects. */
export const connectors: SettingType<readonly ExternalConnector[]> = {
  format: 'package,… or [{"package", "config"}]',
  structured: true,
  read(given, { env, cwd }) {
    const listed = given.json ?? (given.text.startsWith('[') ? parseJson(given) : itemsOf(given.text));
    const parsed = v.safeParse(v.array(connectorSchema), listed);
    if (!parsed.success) return refuse(given, 'must list packages, or objects with "package" and "config"');
    return parsed.output.map((entry): ExternalConnector => {
      if (typeof entry === 'string') return { package: entry, settings: () => ({}), from: cwd };
      const { package: name, config } = entry;
      return { package: name, settings: () => substituted(config, name, env), from: cwd };
    });
  },
};

function parseJson(given: Given): unknown {
  try {
    return JSON.parse(given.text);
  } catch {
    return refuse(given, 'starts with [ and must be valid JSON');
  }
}

/** Keeps secrets out of the file: a text that is only `$NAME` becomes the variable's value. */
function substituted(
  config: Readonly<Record<string, unknown>>,
  owner: string,
  env: ReadContext['env'],
): Record<string, unknown> {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member)]));
    const name = typeof value === 'string' ? /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1] : undefined;
    if (name === undefined) return value;
    const found = env[name];
    if (found !== undefined && found !== '') return found;
    throw new CulpritError(
      'configuration',
      `The configuration of ${owner} uses $${name}, which is not set in the environment.`,
      { path: 'connectors' },
    );
  };
  return fill(config) as Record<string, unknown>;
}
