import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CulpritError, isCulpritError } from '@culprit/core';
import { hostOf } from '../../compose/core-parts.js';
import type { HostQuestion, RepositoryHost, Roles } from '../../compose/hosts/host.js';
import { HOSTS } from '../../compose/hosts/hosts.js';
import { checkRepository } from '../../compose/hosts/local.js';
import { DEFAULT_PROJECT } from '../../config/credentials.js';
import type { ReadContext, Setting } from '../../config/setting.js';
import { SETTINGS, type SettingKey } from '../../config/settings.js';
import { printError } from '../../log/terminal.js';
import { usageError } from '../exit-codes.js';
import type { Flags, ReadFlags } from '../read-flags.js';
import type { Ask } from './ask.js';

/** What `culprit init` writes. */
export interface Answers {
  /** Members of `culprit.json`. */
  readonly members: Readonly<Record<string, string>>;
  /** Variables of the env file. */
  readonly variables: Readonly<Record<string, string>>;
}

interface Question {
  readonly key: SettingKey;
  /** Absent: the answer comes from the environment or the terminal, because process lists show flags. */
  readonly flag?: string;
  readonly ask: string;
  readonly fallback: string;
}

const ALL: readonly RepositoryHost[] = Object.values(HOSTS);
/** `owner/name (GitHub), gitlab:group/project (GitLab), path (local git)` */
const ADDRESSES = ALL.map(({ addresses, titles }) => `${addresses} (${titles.codeHost})`).join(', ');

const QUESTIONS = {
  repository: {
    key: 'repository',
    flag: 'repository',
    ask: `Repository that crashes: ${ADDRESSES}`,
  },
  issues: {
    key: 'publishRepository',
    flag: 'issues',
    ask: 'Create issues in owner/name on GitHub, or at another address (empty: in the local outbox)',
  },
  appId: {
    key: 'githubAppId',
    flag: 'github-app-id',
    ask: 'Id of a GitHub App (empty: use a token)',
  },
  appKey: {
    key: 'githubAppKey',
    flag: 'github-app-key',
    ask: 'Path of the App’s private key (.pem)',
  },
  token: { key: 'githubToken', ask: 'Fine-grained GitHub token' },
  model: {
    key: 'ollamaModel',
    flag: 'model',
    ask: 'Ollama model that writes explanations, as in `ollama list` (empty: none)',
  },
  modelHost: { key: 'ollamaHost', flag: 'model-host', ask: 'Ollama server (empty: 127.0.0.1:11434)' },
  channel: {
    key: 'slackChannel',
    flag: 'slack-channel',
    ask: 'Id of a Slack channel that announces runs (empty: no chat)',
  },
  botToken: { key: 'slackBotToken', ask: 'Bot token of the Slack app' },
  signing: {
    key: 'slackSigningSecret',
    ask: 'Signing secret of the Slack app (empty: messages without buttons)',
  },
  reviewers: {
    key: 'slackReviewers',
    flag: 'slack-reviewers',
    ask: 'Who may decide in Slack: U0123456789:name,… (empty: nobody)',
  },
} as const satisfies Record<string, Omit<Question, 'fallback'>>;

const ASKED: readonly HostQuestion[] = [
  ...Object.values(QUESTIONS),
  ...ALL.flatMap(({ questions = [] }) => questions),
];

/** The variables of the environment that answer a question about a secret. */
export const SECRET_VARIABLES: readonly string[] = ASKED.flatMap(({ key }) => {
  const { env, secret }: Setting = SETTINGS[key as SettingKey];
  return secret === true && env !== null ? [env] : [];
});

/** The flags that answer a question. */
export const ANSWER_FLAGS: Flags = Object.fromEntries(
  ASKED.flatMap(({ key, flag }) => {
    if (flag === undefined) return [];
    const { type, meaning } = SETTINGS[key as SettingKey];
    return [[flag, { value: `<${type.format}>`, meaning }]];
  }),
);

export interface AnswerParts {
  readonly flags: ReadFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `null`: nobody is asked; what no flag or variable says has its default. */
  readonly ask: Ask | null;
  /** Of the round before, whose end failed: an empty line keeps an answer, and a dash removes it. */
  readonly kept: Answers | null;
  /** True: an answer is not compared with the machine. */
  readonly unchecked: boolean;
}

/** Repository, GitHub, model and chat. Each answer is checked before the next question. */
export async function collectAnswers(parts: AnswerParts): Promise<Answers> {
  const members: Record<string, string> = {};
  const variables: Record<string, string> = {};
  const keep = (key: SettingKey, text: string) => {
    const { env, secret }: Setting = SETTINGS[key];
    if (secret === true && env !== null) variables[env] = text;
    else members[key] = text;
  };
  const answerOf = async (question: Question): Promise<string> => {
    const text = await answerTo(question, parts);
    if (text !== '') keep(question.key, text);
    return text;
  };
  const answer = (name: keyof typeof QUESTIONS, fallback = ''): Promise<string> =>
    answerOf({ ...QUESTIONS[name], fallback });
  const keepAddress = (key: 'repository' | 'publishRepository', text: string) => {
    if (text !== '') members[key] = addressOf(text, parts);
    return members[key] ?? '';
  };
  const typed = await answer('repository', existsSync(join(parts.cwd, '.git')) ? parts.cwd : '');
  const repository = keepAddress('repository', typed);
  if (repository === '' && parts.ask === null && parts.flags.text('repository') === null)
    throw usageError(
      'Without a terminal, culprit init needs --repository: a path, owner/name or an address for cloning. Nothing was written. (--repository "" configures none, so there is no blame.)',
    );
  const code = repository === '' ? null : hostOf(repository, 'codeHost');
  const issues = code === null || code === HOSTS.local ? await answer('issues') : '';
  const publisher = issues === '' ? null : hostOf(keepAddress('publishRepository', issues), 'publisher');
  if (code === HOSTS.github || publisher === HOSTS.github) await github();
  for (const host of new Set([code, publisher])) await questionsOf(host?.questions ?? []);
  if ((await answer('model')) !== '') await answer('modelHost');
  if ((await answer('channel')) !== '') {
    demand(await answer('botToken'), 'slackBotToken', 'Slack needs a bot token');
    if ((await answer('signing')) !== '') await answer('reviewers');
  }
  return { members, variables };

  async function questionsOf(questions: readonly HostQuestion[]): Promise<void> {
    for (const { required, ...question } of questions) {
      const key = question.key as SettingKey;
      const text = await answerOf({ ...question, key, fallback: '' });
      if (required !== undefined) demand(text, key, required);
    }
  }

  async function github(): Promise<void> {
    if ((await answer('appId')) === '') {
      demand(await answer('token'), 'githubToken', 'A repository on GitHub needs a token or an App');
      return;
    }
    demand(await answer('appKey'), 'githubAppKey', 'A GitHub App needs its private key');
    variables.GITHUB_APP_KEY = resolve(parts.cwd, variables.GITHUB_APP_KEY ?? '');
  }
}

/** Settings whose address must belong to a known host. */
const ROLES: Partial<Record<SettingKey, keyof Roles>> = {
  repository: 'codeHost',
  publishRepository: 'publisher',
};

function demand(text: string, key: SettingKey, why: string): void {
  if (text !== '') return;
  const { env }: Setting = SETTINGS[key];
  throw usageError(`${why}. Set ${env} in the environment, or run this at a terminal without --yes.`);
}

/** The address as it is written, so that it does not depend on the folder of a later start. */
function addressOf(text: string, parts: AnswerParts): string {
  return SETTINGS.repository.type.read({ text, origin: '--repository', key: 'repository' }, contextOf(parts));
}

function contextOf({ flags, env, cwd }: AnswerParts): ReadContext {
  const written = (key: string) => {
    const flag = ASKED.find((one) => one.key === key)?.flag;
    const name = SETTINGS[key as SettingKey].env;
    return (flag && flags.text(flag)) || (name && env[name]) || null;
  };
  return { env, cwd, written };
}

/** The flag, else the variable of the environment, else the person, else the fallback. */
async function answerTo(question: Question, parts: AnswerParts): Promise<string> {
  const { key, flag } = question;
  const row: Setting = SETTINGS[key];
  const { flags, env, ask, kept } = parts;
  if (ask !== null && kept !== null) return askAgain(question, parts, ask, kept);
  const fromFlag = flag === undefined ? null : flags.text(flag);
  if (fromFlag !== null) return checked(question, fromFlag.trim(), `--${flag}`, parts);
  const fromEnv = row.env === null ? '' : (env[row.env]?.trim() ?? '');
  if (fromEnv !== '') return checked(question, fromEnv, row.env ?? '', parts);
  return ask === null ? question.fallback : askUntilRight(question, parts, ask);
}

/** The question of the round before, with its answer. */
async function askAgain(question: Question, parts: AnswerParts, ask: Ask, kept: Answers): Promise<string> {
  const { env }: Setting = SETTINGS[question.key];
  const fallback = kept.members[question.key] ?? kept.variables[env ?? ''] ?? '';
  const text = await askUntilRight({ ...question, fallback }, parts, ask);
  return text === '-' ? '' : text === '' ? fallback : text;
}

async function askUntilRight(question: Question, parts: AnswerParts, ask: Ask): Promise<string> {
  const { key, flag, fallback } = question;
  for (;;) {
    const text = await (flag === undefined ? ask.secret(question.ask) : ask.text(question.ask, fallback));
    try {
      if (text === '-') return text;
      const answer = checked(question, text, 'The answer', parts);
      if (key === 'repository' && answer !== '' && !parts.unchecked) await demandReadable(answer, parts);
      return answer;
    } catch (error) {
      if (!isCulpritError(error)) throw error;
      printError(`${error.message}\n`);
    }
  }
}

/** @throws `configuration` if git cannot read a repository on this machine. Others are asked at the end, with their tokens. */
async function demandReadable(text: string, parts: AnswerParts): Promise<void> {
  const address = addressOf(text, parts);
  if (hostOf(address, 'codeHost') !== HOSTS.local) return;
  const refused = (await checkRepository({ project: DEFAULT_PROJECT, address })).find(
    ({ ok, name }) => !ok && name === 'repository',
  );
  if (refused !== undefined) throw new CulpritError('configuration', refused.detail);
}

/** @throws `configuration` if the setting rejects the text. An empty text is no answer. */
function checked({ key }: Question, text: string, origin: string, parts: AnswerParts): string {
  if (text === '') return text;
  if (/[\r\n'"\\]/.test(text))
    throw new CulpritError(
      'configuration',
      `${origin} must not contain quotes, backslashes or line breaks.`,
      {
        members: { origin },
      },
    );
  const value = SETTINGS[key].type.read({ text, origin, key }, contextOf(parts));
  const role = ROLES[key];
  if (role !== undefined) hostOf(String(value), role);
  return text;
}
