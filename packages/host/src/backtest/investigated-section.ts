import { escapeHtml } from '../http/escape-html.js';
import type { Measured } from './measure.js';
import { shareOf, shareText } from './summary.js';

/** The part of the page about investigations: what they add to the ranking, what they use, and whether their probabilities hold. */
export function investigatedSection(measured: Measured): string {
  const { model, ranking, investigated, fit } = measured;
  const row = (title: string, { first, firstFive }: Measured['ranking']) =>
    `<tr><th>${title}</th><td>${shareText(first)}</td><td>${shareText(firstFive)}</td></tr>`;
  return `<h2>Investigated by ${escapeHtml(model)}</h2>
<p>The same crashes, without reverts. The model asked questions about the repository as of the commit before the fix.</p>
<table>
<thead><tr><th></th><th>First suspect right</th><th>Among the first five</th></tr></thead>
<tbody>
${row('Ranking alone', ranking)}
${row('With the investigation', investigated)}
</tbody>
</table>
<p>${usedText(measured)}</p>
<h3>Can its probabilities be trusted?</h3>
<p>${fitText(measured)}</p>
${fit === null ? '' : `<figure>\n${plotOf(fit.reliability)}\n<figcaption>The thin lines are 95 % intervals. A point on the diagonal: the probability holds. Above it: the model is right more often.</figcaption>\n</figure>`}`;
}

/** What the investigations used. */
export function usedText({ questions, tokens, cost }: Measured): string {
  const money = cost === null ? '' : ` All cases cost ${cost.toFixed(2)}.`;
  return `A case took ${questions} questions and ${tokens.toLocaleString('en-US')} tokens (median).${money}`;
}

/** Whether the findings give a fit. */
export function fitText({ findings, missing, fit }: Measured): string {
  return fit === null
    ? `Not measured: ${findings} of the findings passed the checks, and ${missing} more are needed.`
    : `Measured on the ${fit.cases} findings that passed their checks: those of the older half of the fixes by the newer half, and the reverse.`;
}

const SIZE = 320;
const LEFT = 60;
const TOP = 22;

/** The share of right findings against their probability, with the number of findings. */
function plotOf(groups: NonNullable<Measured['fit']>['reliability']): string {
  const x = (share: number) => round(LEFT + share * SIZE);
  const y = (share: number) => round(TOP + (1 - share) * SIZE);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) => `<line class="grid" x1="${x(0)}" y1="${y(share)}" x2="${x(1)}" y2="${y(share)}"/>
<text class="tick" x="${x(share)}" y="${y(0) + 18}">${share * 100} %</text>
<text class="tick" x="${LEFT - 26}" y="${y(share) + 4}">${share * 100} %</text>`,
  );
  const points = groups.map(({ probability, right, of }) => {
    const { low, high } = shareOf(right, of);
    const at = x(probability);
    return `<line class="interval" x1="${at}" y1="${y(low)}" x2="${at}" y2="${y(high)}"/>
<circle cx="${at}" cy="${y(right / of)}" r="5" fill="#2456a6"/>
<text class="tick" x="${at}" y="${y(high) - 6}">${right} of ${of}</text>`;
  });
  return `<svg viewBox="0 0 ${LEFT + SIZE + 70} ${TOP + SIZE + 52}" width="${LEFT + SIZE + 70}" role="img" aria-labelledby="reliability">
<title id="reliability">Share of right findings by their probability</title>
${grid.join('\n')}
<line class="grid" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke-dasharray="4 4"/>
${points.join('\n')}
<text class="tick" x="${x(0.5)}" y="${y(0) + 40}">Probability</text>
</svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
