import type { Check } from '@culprit/core/connector';
import * as v from 'valibot';
import { positiveInteger } from '../config.js';

/** Provide only this port, if another connector provides the other one. Default: both. */
export const only = v.optional(v.picklist(['codeHost', 'publisher']));

/** Bare copies of repositories, for questions about them that an API cannot answer. Absent: none. */
export const mirror = v.optional(
  v.strictObject({
    directory: v.pipe(v.string(), v.nonEmpty()),
    /** A larger repository is not copied. */
    maxMb: v.optional(positiveInteger, 2_000),
    /** A copy that was not used for so long is deleted. */
    maxDays: v.optional(positiveInteger, 30),
    /** Those that are copied at once, before the first question. */
    repositories: v.optional(v.array(v.string()), []),
    /** True: commit graphs are built in the directory, in the background. */
    buildGraphs: v.optional(v.boolean(), true),
    /** Time limit of one fetch. */
    timeoutMs: v.optional(positiveInteger, 30 * 60_000),
  }),
);

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
