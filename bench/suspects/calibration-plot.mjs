import { VERDICT_AT } from '../../packages/core/dist/domain/verdict.js';
import { reliability } from './measure.mjs';

const SIZE = 360;
const LEFT = 56;
const TOP = 24;
const WIDTH = LEFT + SIZE + 24;
const HEIGHT = TOP + SIZE + 52;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

const x = (share) => (LEFT + share * SIZE).toFixed(1);
const y = (share) => (TOP + (1 - share) * SIZE).toFixed(1);
const line = (kind, x1, y1, x2, y2) => `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
const text = (anchor, at, height, words, more = '') =>
  `<text text-anchor="${anchor}" x="${at}" y="${height}"${more}>${words}</text>`;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .grid { stroke: #d0d7de } .perfect { stroke: #6e7781; stroke-dasharray: 4 4 } .verdict { stroke: #9a6700; stroke-dasharray: 2 3 }
  .interval { stroke: #0969da; stroke-width: 2; opacity: .55 } .point { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .grid { stroke: #3d444d } .perfect { stroke: #9198a1 } .verdict { stroke: #d29922 }
    .interval { stroke: #4493f8 } .point { fill: #4493f8 }
  }`;

/** How often the first suspect is right, by its probability, as an SVG for light and dark pages. */
export function calibrationPlot(answers) {
  const groups = reliability(answers);
  const grid = TICKS.flatMap((tick) => [
    line('grid', x(0), y(tick), x(1), y(tick)),
    line('grid', x(tick), y(0), x(tick), y(1)),
    text('end', LEFT - 8, Number(y(tick)) + 4, `${Math.round(tick * 100)} %`),
    text('middle', x(tick), TOP + SIZE + 18, tick.toFixed(1)),
  ]);
  const verdicts = Object.entries(VERDICT_AT).flatMap(([name, from]) => [
    line('verdict', x(from), y(0), x(from), y(1)),
    text('middle', x(from), TOP - 8, name),
  ]);
  const points = groups.flatMap(({ n, p, right, interval: [low, high] }) => [
    line('interval', x(p), y(low), x(p), y(high)),
    `<circle class="point" cx="${x(p)}" cy="${y(right)}" r="4.5"><title>${n} answers, mean probability ${p.toFixed(2)}, ${Math.round(right * 100)} % right</title></circle>`,
  ]);
  const middle = TOP + SIZE / 2;
  const labels = [
    text('middle', LEFT + SIZE / 2, HEIGHT - 12, 'Probability of the first suspect'),
    text('middle', 14, middle, 'First suspect is the culprit', ` transform="rotate(-90 14 ${middle})"`),
  ];
  const parts = [...grid, line('perfect', x(0), y(0), x(1), y(1)), ...verdicts, ...points, ...labels];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Calibration: share of first suspects that are the culprit, by probability"><style>${STYLE}</style>
${parts.join('\n')}
</svg>
`;
}
