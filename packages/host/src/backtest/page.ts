import { likelihood } from '@culprit/core/internal/domain/verdict';
import { escapeHtml } from '../http/escape-html.js';
import { investigatedSection } from './investigated-section.js';
import type { Measured } from './measure.js';
import type { CaseResult } from './run-case.js';
import { type Backtest, GROUP_TITLES, type Group, type Share, shareText } from './summary.js';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; margin-bottom: .25rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8886; vertical-align: top; }
code { font: .9em ui-monospace, monospace; }
.lead { font-size: 1.15rem; }
.right { font-weight: 600; }
figure { margin: 1.5rem 0; }
svg { max-width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg .label { font-weight: 600; }
svg .tick { text-anchor: middle; font-size: 12px; }
svg .grid { stroke: #8884; }
svg .interval { stroke: currentColor; stroke-width: 1.5; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .9rem; }
.legend svg { width: .8rem; height: .8rem; margin-right: .4rem; }
`;

/** One HTML document that loads nothing and has no script. */
export function backtestPage(result: Backtest, investigated: Measured | null): string {
  const { headline, groups, likely, skipped, cases, repository, fixes } = result;
  const left = skipped.no_code_changed + skipped.no_place_found + skipped.failed;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Culprit backtest: ${escapeHtml(repository)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Culprit backtest</h1>
<p><code>${escapeHtml(repository)}</code></p>
<p class="lead">${escapeHtml(headlineText(headline))}</p>
<figure>
${plotOf([headline, ...groups])}
<figcaption>${legendOf()}</figcaption>
</figure>
<table>
<thead><tr><th>Cases</th><th>Number</th><th>First suspect right</th><th>Among the first five</th><th>Newest blamed line right</th></tr></thead>
<tbody>
${[headline, ...groups].map(groupRow).join('\n')}
</tbody>
</table>
<h2>How to read this</h2>
<p>Each case is a commit of this repository whose message names the earlier commit that it repairs or reverts. For each, Culprit
ranked the suspects as of the commit before the fix. Later history was not read. The newest blamed line is the latest
commit that changed a line of the stack, about what other tools report.</p>
<ul>
<li><b>${GROUP_TITLES.trace}</b>: the message of the fix quotes the trace. These are closest to an incident.</li>
<li><b>${GROUP_TITLES.fix}</b>: no trace is known, so the lines that the fix changed stand for it, without an error text. An incident has
more words and other lines.</li>
<li><b>${GROUP_TITLES.revert}</b>: the lines are the culprit’s own, so both methods find it more easily than in an incident. They are not
part of the first row.</li>
<li>People name a culprit when they know it, so harder cases are missing.</li>
</ul>
<p>Of ${fixes} fixes, ${left} were left out: ${skipped.no_code_changed} changed no code, ${skipped.no_place_found} have no line in the tree
of that time, ${skipped.failed} could not be read. With a verdict of <code>likely</code> or better, the first suspect was right in
${escapeHtml(shareText(likely))}.</p>
${investigated === null ? '' : investigatedSection(investigated)}
<h2>Cases</h2>
<table>
<thead><tr><th>Fix</th><th>From</th><th>Culprit</th><th>Place</th><th>First suspect</th><th>Newest line</th></tr></thead>
<tbody>
${cases.map(caseRow).join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

export function headlineText({ cases, first, firstFive, newest }: Group): string {
  if (cases === 0) return 'No fix names its culprit and changes code, apart from reverts.';
  return `The first suspect was right in ${shareText(first)}, the first five contained the culprit in ${shareText(firstFive)}; the newest blamed line was right in ${shareText(newest)}.`;
}

function groupRow({ name, cases, first, firstFive, newest }: Group): string {
  const cells = [first, firstFive, newest].map((share) => `<td>${shareText(share)}</td>`).join('');
  return `<tr><th>${GROUP_TITLES[name]}</th><td>${cases}</td>${cells}</tr>`;
}

function caseRow({ fix, source, culprits, suspects, place, newest, newestIsRight }: CaseResult): string {
  const [first] = suspects;
  const sha = (name: string, right: boolean) =>
    `<code${right ? ' class="right"' : ''}>${escapeHtml(name.slice(0, 10))}</code>`;
  const suspect = first === undefined ? 'none' : `${sha(first.sha, place === 1)} ${likelihood(first)}`;
  return `<tr><td>${sha(fix.sha, false)} ${escapeHtml(fix.title.slice(0, 120))}</td><td>${source}</td><td>${culprits
    .map((one) => sha(one, false))
    .join(
      ' ',
    )}</td><td>${place ?? '–'}</td><td>${suspect}</td><td>${newest === null ? '–' : sha(newest, newestIsRight)}</td></tr>`;
}

const BAR = 22;
const GAP = 26;
const LABEL = 220;
const WIDTH = 720;
const PLOT = WIDTH - LABEL - 60;
const BARS = [
  { key: 'first', title: 'First suspect', colour: '#2456a6' },
  { key: 'firstFive', title: 'First five suspects', colour: '#7d9fd3' },
  { key: 'newest', title: 'Newest blamed line', colour: '#8a8a8a' },
] as const;

/** Horizontal bars with their 95 % intervals, one block for each group that has cases. */
function plotOf(groups: readonly Group[]): string {
  const shown = groups.filter(({ cases }) => cases > 0);
  const block = BARS.length * BAR + GAP;
  const height = shown.length * block + 44;
  const parts = shown.map((group, index) => blockOf(group, index * block + 10));
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="plot-title">
<title id="plot-title">Share of cases in which the culprit was found</title>
${gridOf(height - 34)}
${parts.join('\n')}
</svg>`;
}

function legendOf(): string {
  const items = BARS.map(
    ({ title, colour }) =>
      `<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${colour}"/></svg>${title}</li>`,
  );
  return `<ul class="legend">${items.join('')}<li>The thin lines are 95 % intervals.</li></ul>`;
}

function gridOf(bottom: number): string {
  return [0, 0.25, 0.5, 0.75, 1]
    .map((share) => {
      const x = at(share);
      return `<line class="grid" x1="${x}" y1="4" x2="${x}" y2="${bottom}"/><text class="tick" x="${x}" y="${bottom + 18}">${share * 100} %</text>`;
    })
    .join('\n');
}

function blockOf(group: Group, top: number): string {
  const bars = BARS.map(({ key, colour }, index) => barOf(group[key], top + index * BAR, colour));
  const middle = top + (BARS.length * BAR) / 2;
  return `<text class="label" x="0" y="${middle - 2}">${GROUP_TITLES[group.name]}</text>
<text class="count" x="0" y="${middle + 15}">${group.cases} ${group.cases === 1 ? 'case' : 'cases'}</text>
${bars.join('\n')}`;
}

function barOf({ right, of, low, high }: Share, y: number, colour: string): string {
  const share = right / of;
  const middle = y + (BAR - 6) / 2;
  return `<rect x="${LABEL}" y="${y}" width="${round(share * PLOT)}" height="${BAR - 6}" fill="${colour}"/>
<line class="interval" x1="${at(low)}" y1="${middle}" x2="${at(high)}" y2="${middle}"/>
<text class="value" x="${round(at(high) + 6)}" y="${middle + 4}">${Math.round(share * 100)} %</text>`;
}

function at(share: number): number {
  return round(LABEL + share * PLOT);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
