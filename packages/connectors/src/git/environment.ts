import { devNull } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';

/**
 * The whole environment of every git process; nothing is inherited. No user or system configuration, no prompt, no network
 * over any transport (including git too old for `GIT_NO_LAZY_FETCH`), no replaced objects, no grafts, no pathspec magic,
 * no work tree.
 */
export function gitEnvironment(searchPath: string): Record<string, string> {
  return {
    PATH: searchPath.split(delimiter).filter(isAbsolute).join(delimiter),
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
    GIT_LITERAL_PATHSPECS: '1',
    GIT_IMPLICIT_WORK_TREE: '0',
  };
}

/** Repeated for the few commands that read a repository's configuration, and where git's defaults change between versions. */
const PINNED: readonly string[] = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.pager=cat',
  'core.quotePath=false',
  'protocol.allow=never',
  'diff.external=',
  'diff.algorithm=myers',
  'diff.renameLimit=1000',
  'log.mailmap=false',
  'log.showSignature=false',
  'gc.auto=0',
  'advice.graftFileDeprecated=false',
];

/** Arguments before the command's name. */
export function globalArguments(gitDirectory: string, settings: readonly string[] = []): readonly string[] {
  return [
    `--git-dir=${gitDirectory}`,
    '--no-pager',
    '--no-replace-objects',
    '--literal-pathspecs',
    ...[...PINNED, ...settings].flatMap((setting) => ['-c', setting]),
  ];
}

/** Fixed options of everything that compares, so that no configuration changes the output. */
export const DIFF_OPTIONS = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '-M50%',
  '--ignore-submodules=none',
] as const;
