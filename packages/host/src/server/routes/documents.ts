import { CulpritError } from '@culprit/core';
import { isDeniedPath } from '@culprit/core/internal/pipeline/locate/denied-path';
import { scrubFile } from '@culprit/core/internal/pipeline/scrub-text';
import type { HttpResponse } from '../../http/message.js';
import type { BoardFiles } from '../board-files.js';
import { visibleRuns } from '../limited-engine.js';
import { isWithin } from '../permit.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { pagePolicy } from '../security-headers.js';
import type { Site } from '../site.js';
import { renderSourcePage } from '../source-page.js';
import { signInAnswer } from './board.js';

/** Pages for issues of the local outbox and files of the local repository. */
export interface Documents {
  /** The page and the run that it is of, or `null` if the issue does not exist. Absent without an outbox. */
  readonly issue?: (
    number: number,
  ) => Promise<{ readonly html: string; readonly run_id: string | null } | null>;
  readonly issueCss?: string;
  /** The file's text at a revision, or `null` if it does not exist. Absent without a local repository. */
  readonly source?: (
    project: string,
    sha: string,
    path: string,
    signal: AbortSignal,
  ) => Promise<string | null>;
}

export function documentRoutes(documents: Documents, files: BoardFiles, site: () => Site): CoreRoute[] {
  const signIn = () => signInAnswer(files, site());
  return [
    {
      method: 'GET',
      pattern: '/outbox/issue.css',
      access: 'reviewer',
      scope: 'any',
      reach: 'none',
      doc: {
        id: 'getOutboxStylesheet',
        summary: 'Get the stylesheet of these pages',
        answers: { 200: { what: 'The stylesheet', type: 'text/css' } },
      },
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, max-age=3600' },
        body: documents.issueCss ?? '',
      }),
    },
    {
      method: 'GET',
      pattern: '/outbox/:number',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      signIn,
      doc: {
        id: 'getOutboxIssue',
        summary: 'Get an issue of the local outbox',
        answers: { 200: { what: 'The page', type: 'text/html' } },
        problems: ['not_found'],
      },
      async handle({ request, engine, within }) {
        const number = request.params.number ?? '';
        const page = /^[1-9]\d{0,8}$/.test(number) ? await documents.issue?.(Number(number)) : null;
        const isShown = page && (await isOwn(page.run_id, engine, within));
        if (!page || !isShown) throw new CulpritError('not_found', 'Issue not found.');
        return html(page.html);
      },
    },
    {
      method: 'GET',
      pattern: '/code/:project/:sha/*path',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      signIn,
      doc: {
        id: 'getSourceFile',
        summary:
          'Get a file of the local repository at a revision, sanitised; #L12 links to line 12. Files that drafts may not quote, such as .env, are not found',
        answers: { 200: { what: 'The page', type: 'text/html' } },
        problems: ['not_found'],
      },
      async handle({ request, engine, within }: ReviewerCall) {
        const { project = '', sha = '', path = '' } = request.params;
        const known =
          isWithin(within, project) && /^[0-9a-f]{40,64}$/.test(sha) && path !== '' && !isDeniedPath(path);
        const text = known ? await documents.source?.(project, sha, path, request.signal) : null;
        if (text === null || text === undefined) {
          throw new CulpritError('not_found', 'File not found at this revision.');
        }
        const shown = scrubFile(text, (dirty) => engine.sanitiser.text(dirty).value);
        const at = site().path;
        const css = `${at}${files.base}/source.css`;
        return html(renderSourcePage({ project, sha, path, text: shown, css, home: `${at}/` }));
      },
    },
  ];
}

/** Whether a page is of a run that the caller may see. Of a run that is no longer stored, only who sees every project. */
async function isOwn(
  runId: string | null,
  engine: ReviewerCall['engine'],
  { projects }: ReviewerCall['within'],
): Promise<boolean> {
  if (projects === null) return true;
  return runId !== null && (await visibleRuns(engine, [runId], projects)).has(runId);
}

function html(body: string): HttpResponse {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy('document', ''),
  };
  return { status: 200, headers, body };
}
