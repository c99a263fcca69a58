import type { Check } from '@culprit/core/connector';
import * as v from 'valibot';

/** Provide only this port, if another connector provides the other one. Default: both. */
export const only = v.optional(v.picklist(['codeHost', 'publisher']));

interface Settings {
  readonly only?: 'codeHost' | 'publisher' | undefined;
  readonly repository?: string | undefined;
  readonly publishRepository?: string | undefined;
}

/** The repositories that `check()` asks about: those of the ports that are provided. */
export function checkedRepositories(settings: Settings) {
  const { only, repository, publishRepository = repository } = settings;
  return {
    repository: only === 'publisher' ? undefined : repository,
    publishRepository: only === 'codeHost' ? undefined : publishRepository,
  };
}

/** The ports that the settings ask for. */
export function portsOf<CodeHost, Publisher>(
  { only }: Settings,
  codeHost: () => CodeHost,
  publisher: () => Publisher,
): { readonly codeHost?: CodeHost; readonly publisher?: Publisher } {
  return {
    ...(only === 'publisher' ? {} : { codeHost: codeHost() }),
    ...(only === 'codeHost' ? {} : { publisher: publisher() }),
  };
}

/** A token that expires within this time is a warning. */
export const EXPIRES_SOON_MS = 7 * 24 * 60 * 60_000;

/** A result of `check()`. */
export function passed(name: string, detail: string): Check {
  return { name, ok: true, detail };
}

/** As {@link passed}; `detail` says how to fix it. */
export function failed(name: string, detail: string): Check {
  return { name, ok: false, detail };
}

/** As {@link failed}, but the rest works without it. */
export function warning(name: string, detail: string): Check {
  return { name, ok: false, optional: true, detail };
}
