import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CulpritError } from '@culprit/core';
import { stopChild } from '../cli/stop-child.js';
import { neutralEnvironment } from '../config/child-env.js';
import { tail } from './servers.js';

/** A local test double of GitHub. */
export interface DemoGithub {
  readonly token: string;
  readonly apiUrl: string;
  /** `owner/name` on the double. */
  readonly repository: string;
  issue(
    number: number,
  ): Promise<{ readonly title: string; readonly body: string; readonly labels: readonly string[] }>;
  stop(): Promise<void>;
}

/** Starts the double for a local repository; stores its issues in `dataDirectory`. */
export async function startGithub(dataDirectory: string, root: string, name: string): Promise<DemoGithub> {
  const repository = `culprit-demo/${name}`;
  const token = `github_pat_${randomBytes(24).toString('hex')}`;
  const logFile = join(dataDirectory, 'github-double.log');
  const log = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [
      githubDouble() ?? '',
      ...['--repo', `${repository}=${root}`],
      ...['--token', `${token}=culprit-bot:contents=read,issues=write`],
      ...['--persist', join(dataDirectory, 'github-double.json')],
    ],
    { env: neutralEnvironment(), stdio: ['ignore', 'pipe', log, 'ipc'] },
  );
  const apiUrl = await readyUrl(child, logFile).catch(async (error: unknown) => {
    await stopChild(child, STOP_MS);
    throw error;
  });
  return {
    token,
    apiUrl,
    repository,
    async issue(number) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${apiUrl}/repos/${repository}/issues/${number}`, { headers });
      if (!response.ok)
        throw new CulpritError('internal', `The GitHub double returned ${response.status} for the issue.`);
      const issue = (await response.json()) as { title: string; body: string; labels: { name: string }[] };
      return { ...issue, labels: issue.labels.map((label) => label.name) };
    },
    stop: () => stopChild(child, STOP_MS),
  };
}

/** Its program, or `null`: with its dependencies it takes 14 MB, so it is in a clone only and not published with the host. */
export function githubDouble(): string | null {
  try {
    return fileURLToPath(
      new URL('dist/github/main.js', import.meta.resolve('@culprit/doubles/package.json')),
    );
  } catch {
    return null;
  }
}

const START_MS = 60_000;
const STOP_MS = 5_000;

function readyUrl(child: ChildProcess, log: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = () =>
      reject(
        new CulpritError(
          'internal',
          `The GitHub double did not start. End of its log, ${log}:\n${tail(log)}`,
        ),
      );
    const late = setTimeout(failed, START_MS);
    child.once('exit', () => clearTimeout(late));
    child.once('error', failed).once('exit', failed);
    if (child.stdout === null) return failed();
    createInterface(child.stdout).once('line', (line) => {
      try {
        resolve((JSON.parse(line) as { url: string }).url);
        clearTimeout(late);
      } catch {
        failed();
      }
    });
  });
}
