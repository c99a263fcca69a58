import { git } from '@culprit/connectors/git';
import { github } from '@culprit/connectors/github';
import {
  type CodeHost,
  type CodeMapping,
  type Event,
  type JsonObject,
  normalise,
  sanitiseJson,
  silentLogger,
} from '@culprit/core';
import type { Config } from '../config/config.js';
import { currentConfig } from '../config/current-config.js';
import { readRepository } from '../config/read-repository.js';
import { usageError } from './exit-codes.js';
import type { Flags, ReadFlags } from './read-flags.js';

/** What `culprit map` and `culprit blame` have in common. */
export const PLACE_FLAGS: Flags = {
  repository: { value: 'DIR|OWNER/NAME', meaning: 'where the code is (REPOSITORY, else this folder)' },
  release: { value: 'NAME', meaning: 'the release that crashed: a tag, a version, name@version, a SHA' },
  commit: { value: 'SHA', meaning: 'the commit that crashed; without either HEAD is taken, as a guess' },
  platform: { value: 'NAME', meaning: 'python, node, javascript, java, go, ruby, php, csharp, rust, native' },
  module: { value: 'NAME', meaning: 'the frame’s module, as com.shop.Cart' },
  function: { value: 'NAME', meaning: 'the frame’s function' },
  mapping: { value: 'STACK=SOURCE', meaning: 'a code mapping, tried first (also CODE_MAPPINGS)', many: true },
};

export interface CodePlace {
  readonly codeHost: CodeHost;
  readonly repository: string;
  readonly mappings: readonly CodeMapping[];
  readonly hints: { readonly commit: string | null; readonly release: string | null; readonly at: string };
  close(): Promise<void>;
}

/** The code host that the configuration asks for, alone: no storage is opened, nothing is written. */
export async function openPlace(flags: ReadFlags, signal: AbortSignal): Promise<CodePlace> {
  const cwd = process.cwd();
  const config = currentConfig(cwd);
  const repository = readRepository(flags.text('repository'), cwd) ?? config.repository ?? cwd;
  const connector = connectorFor(repository, config);
  const parts = await connector.setup({ fetch, logger: silentLogger, signal });
  if (parts.codeHost === undefined) throw new Error(`${connector.id} brings no code host`);
  return {
    codeHost: parts.codeHost,
    repository,
    mappings: [...flags.all('mapping').map(mappingOf), ...config.codeMappings],
    hints: { commit: flags.text('commit'), release: flags.text('release'), at: new Date().toISOString() },
    close: async () => parts.close?.(),
  };
}

function connectorFor(repository: string, { github: settings }: Config) {
  if (settings.token === null || repository.startsWith('/')) return git({});
  const token = settings.token.reveal();
  return github({ token, ...(settings.apiUrl === null ? {} : { apiUrl: settings.apiUrl }) });
}

function mappingOf(text: string): CodeMapping {
  const at = text.indexOf('=');
  if (at < 0) throw usageError('--mapping is STACK=SOURCE, as --mapping /srv/app/=packages/app/.');
  return { stack_root: text.slice(0, at), source_root: text.slice(at + 1) };
}

/** A crash of one frame, read as one that came through a door. */
export function eventOf(flags: ReadFlags, frame: JsonObject, error: string | null): Event {
  const now = new Date().toISOString();
  const platform = flags.text('platform');
  const known = { module: flags.text('module'), function: flags.text('function') };
  const commit = flags.text('commit');
  const crash = {
    message: error ?? 'crash',
    ...(platform === null ? {} : { platform }),
    ...(commit === null ? {} : { tags: { commit } }),
    ...(flags.text('release') === null ? {} : { release: flags.text('release') }),
    stack_trace: { frames: [{ ...known, ...frame }] },
  };
  return normalise({
    sequence: 1,
    event_id: 'cli',
    project: 'default',
    door: 'native',
    tracker: 'cli',
    received_at: now,
    raw_sha256: '',
    headers: {},
    attachments: [],
    redactions: 0,
    crash: sanitiseJson(crash).value as JsonObject,
  });
}
