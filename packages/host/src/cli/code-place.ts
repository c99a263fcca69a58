import { type Event, type JsonObject, silentLogger } from '@culprit/core';
import type { CodeHost } from '@culprit/core/connector';
import type { CodeMapping } from '@culprit/core/internal/domain/code-mapping';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { hostOf } from '../compose/core-parts.js';
import { canonicalAddress } from '../compose/hosts/hosts.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { currentConfig } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { usageError } from './exit-codes.js';
import type { Flags, ReadFlags } from './read-flags.js';

/** Shared by `culprit map` and `culprit blame`. */
export const PLACE_FLAGS: Flags = {
  repository: { value: 'DIR|OWNER/NAME', meaning: 'where the code is (REPOSITORY; default: this directory)' },
  release: { value: 'NAME', meaning: 'the release that crashed: a tag, a version, name@version or a SHA' },
  commit: { value: 'SHA', meaning: 'the commit that crashed; without --commit and --release, HEAD' },
  platform: {
    value: 'NAME',
    meaning: 'one of python, node, javascript, java, go, ruby, php, csharp, rust, native',
  },
  module: { value: 'NAME', meaning: 'the frame’s module, such as com.shop.Cart' },
  function: { value: 'NAME', meaning: 'the frame’s function' },
  mapping: { value: 'STACK=SOURCE', meaning: 'a code mapping, tried before CODE_MAPPINGS', many: true },
};

export interface CodePlace {
  readonly codeHost: CodeHost;
  readonly repository: string;
  readonly mappings: readonly CodeMapping[];
  readonly hints: { readonly commit: string | null; readonly release: string | null; readonly at: string };
  close(): Promise<void>;
}

/** Opens only the code host of the configuration. No storage is opened; nothing is written. */
export async function openPlace(flags: ReadFlags, signal: AbortSignal): Promise<CodePlace> {
  const cwd = process.cwd();
  const config = currentConfig();
  const given = flags.text('repository');
  const repository = given === null ? (config.repository ?? cwd) : canonicalAddress(given, { cwd });
  const [connector] = hostOf(repository, 'codeHost')
    .compose({
      config,
      roles: { codeHost: true, publisher: false },
      repositories: [{ project: DEFAULT_PROJECT, address: repository, role: 'codeHost' }],
      tryWriting: false,
      serving: false,
    })
    .connectors(config.publicUrl ?? urlOf(config.host, config.corePort));
  const parts = await connector?.setup({ fetch, logger: silentLogger, signal });
  if (parts?.codeHost === undefined) throw new Error(`${connector?.id} provides no code host`);
  return {
    codeHost: parts.codeHost,
    repository,
    mappings: [...flags.all('mapping').map(mappingOf), ...config.codeMappings],
    hints: { commit: flags.text('commit'), release: flags.text('release'), at: new Date().toISOString() },
    close: async () => parts.close?.(),
  };
}

function mappingOf(text: string): CodeMapping {
  const at = text.indexOf('=');
  if (at < 0) throw usageError('--mapping must be STACK=SOURCE, such as --mapping /srv/app/=packages/app/.');
  return { stack_root: text.slice(0, at), source_root: text.slice(at + 1) };
}

/** A crash with one frame, normalised like a delivery. */
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
