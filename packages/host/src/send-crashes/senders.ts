import type { SecretPlace, Sender } from '@culprit/core/internal/domain/send-crashes';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { placeOf, secretsPath, type WithSecrets } from '../config/generated-secrets.js';
import { SETTINGS } from '../config/settings.js';

/** One row for each project that is configured or has a key. */
export function sendersOf({
  config,
  generated,
}: Pick<WithSecrets, 'config' | 'generated'>): readonly Sender[] {
  const { sdkKeys, serviceTokens, trackerHookSecret, projects } = config;
  const withKey = [...sdkKeys, ...serviceTokens, ...trackerHookSecret].map(({ project }) => project);
  const configured = Object.keys(projects).filter(
    (name) => name !== DEFAULT_PROJECT || Object.keys(projects[name] ?? {}).length > 0,
  );
  return [...new Set([...configured, ...withKey])].map((project) => {
    const placed = (key: 'serviceTokens' | 'trackerHookSecret'): SecretPlace => {
      const inFile = generated.includes(key);
      return {
        setting: SETTINGS[key].env ?? key,
        file: inFile ? secretsPath(config) : null,
        members: inFile ? placeOf({ key, project }) : [],
        exists: config[key].some((one) => one.project === project),
      };
    };
    return {
      project,
      key: sdkKeys.find((one) => one.project === project)?.key ?? null,
      service_token: placed('serviceTokens'),
      hook_secret: placed('trackerHookSecret'),
    };
  });
}
