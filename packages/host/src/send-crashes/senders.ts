import type { Config } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { type GeneratedKey, placeOf, secretsPath } from '../config/generated-secrets.js';
import { SETTINGS } from '../config/settings.js';
import { dsnOf, type SendTo } from './snippets.js';

/** Where crashes of one project are sent. Contains no secret: only where each is. */
export interface Sender {
  readonly project: string;
  /** `null`: SDK_KEYS has no key for this project. */
  readonly dsn: string | null;
  readonly ingest_url: string;
  readonly hook_url: string;
  readonly service_token: SecretPlace;
  readonly hook_secret: SecretPlace;
}

export interface SecretPlace {
  /** The setting that the secret belongs to. */
  readonly setting: string;
  /** The file and the member in it; `null`: the setting itself has it. */
  readonly file: string | null;
  readonly member: string | null;
  /** False: the project has none. */
  readonly exists: boolean;
}

export interface SenderSource {
  readonly config: Config;
  readonly generated: readonly GeneratedKey[];
}

/** One row for each project that is configured or has a key. */
export function sendersOf({ config, generated }: SenderSource, edgeUrl: string): readonly Sender[] {
  const { sdkKeys, serviceTokens, trackerHookSecret, projects } = config;
  const withKey = [...sdkKeys, ...serviceTokens, ...trackerHookSecret].map(({ project }) => project);
  const configured = Object.keys(projects).filter(
    (name) => name !== DEFAULT_PROJECT || Object.keys(projects[name] ?? {}).length > 0,
  );
  return [...new Set([...configured, ...withKey])].map((project) => {
    const key = sdkKeys.find((one) => one.project === project)?.key;
    const placed = (setting: 'serviceTokens' | 'trackerHookSecret'): SecretPlace => {
      const inFile = generated.includes(setting);
      return {
        setting: SETTINGS[setting].env ?? setting,
        file: inFile ? secretsPath(config) : null,
        member: inFile ? placeOf({ key: setting, project }) : null,
        exists: config[setting].some((one) => one.project === project),
      };
    };
    return {
      project,
      dsn: key === undefined ? null : dsnOf(edgeUrl, key),
      ingest_url: `${edgeUrl}/api/v1/telemetry/ingest`,
      hook_url: `${edgeUrl}/webhook/errortracker`,
      service_token: placed('serviceTokens'),
      hook_secret: placed('trackerHookSecret'),
    };
  });
}

/** For the snippets. A secret stays where it is: the shell reads it. */
export function sendTo({ dsn, service_token, project }: Sender, edgeUrl: string): SendTo {
  return { dsn: dsn ?? `(no key of ${project} in SDK_KEYS)`, edgeUrl, tokenLine: tokenLine(service_token) };
}

function tokenLine({ setting, file, member }: SecretPlace): string {
  if (file === null || member === null) return `TOKEN=…  # a token of ${setting}`;
  const path =
    member.split('.').length === 1
      ? [member]
      : [
          'projects',
          member.slice('projects.'.length, member.lastIndexOf('.')),
          member.slice(member.lastIndexOf('.') + 1),
        ];
  const program = `console.log(${JSON.stringify(path)}.reduce((part, name) => part[name], require(${JSON.stringify(file)})))`;
  return `TOKEN=$(node -e '${program.replaceAll("'", `'\\''`)}')`;
}
