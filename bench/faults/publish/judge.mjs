import { createHash } from 'node:crypto';
import { publishedBody, trailerOf } from '../../../packages/core/dist/pipeline/draft/trailer.js';
import { REVIEWERS } from './child.mjs';

const sha = (text) => createHash('sha256').update(text).digest('hex');

/** The issues of one run on the double, wherever they are now. */
export function issuesOf(issues, runId) {
  return issues.filter(({ body, gone }) => gone === undefined && body.includes(` run=${runId} `));
}

/** Byte-for-byte errors of a published run and its issue; empty if there are none. `signed` is the approved draft. */
export function differences(run, signed, issue, host) {
  const found = [];
  const [, marker = '', audit = ''] =
    / marker=([0-9a-f]{64}) audit=([0-9a-f]{64}) -->\n?$/.exec(issue.body) ?? [];
  const [, signer] = / · signed by `(\w+)` · /.exec(issue.body) ?? [];
  if (!REVIEWERS.includes(signer)) found.push('signer');
  const { explanation, draft } = run;
  const trailer = trailerOf({
    run_id: run.run_id,
    digest: signed.digest,
    marker,
    audit,
    explanation: explanation?.source ?? 'template',
    model: explanation?.model ?? null,
    signer,
    edited: draft?.edited_by !== null,
  });
  if (sha(issue.body) !== sha(host.stored(publishedBody(signed.body, trailer)))) found.push('body');
  if (issue.title !== signed.title) found.push('title');
  if (signed.labels.some((label) => !issue.labels.includes(label))) found.push('labels');
  if (run.publication?.digest !== signed.digest) found.push('digest');
  if (run.publication?.number !== issue.number) found.push('number');
  return found;
}
