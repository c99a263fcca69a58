import { GROUP_TITLES, type Group, type Share } from './summary.js';

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
export function plotOf(groups: readonly Group[]): string {
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

export function legendOf(): string {
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
