/** Style of the issue page, light and dark; served at `ISSUE_CSS_PATH`. */
export const issuePageCss = `:root {
  color-scheme: light dark;
  --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --page: #ffffff; --raised: #f6f8fa; --link: #0969da;
  --open: #1a7f37; --closed: #8250df; --added: #dafbe1; --removed: #ffebe9; --hunk: #ddf4ff; --chip: #eaeef2;
  --auto: #ffd8d3; --likely: #fae17d; --culprit: #d8e8ff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --page: #0d1117; --raised: #151b23; --link: #4493f8;
    --open: #238636; --closed: #8957e5; --added: #12361f; --removed: #4a1e1c; --hunk: #12294a; --chip: #2a313c;
    --auto: #67201d; --likely: #57420a; --culprit: #173a66;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif;
}
main { max-width: 1216px; margin: 0 auto; padding: 24px 16px 64px; }
header { border-bottom: 1px solid var(--line); margin-bottom: 24px; }
h1 { margin: 0 0 8px; font-size: 32px; font-weight: 400; line-height: 1.25; overflow-wrap: anywhere; }
.repository, .number, .meta, .none { color: var(--soft); }
.repository { margin: 0 0 4px; font-size: 14px; overflow-wrap: anywhere; }
.number { font-weight: 300; }
.meta { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 16px; font-size: 14px; }
.state { padding: 5px 12px; border-radius: 2em; color: #ffffff; font-weight: 500; }
.state.open { background: var(--open); }
.state.closed { background: var(--closed); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 256px; gap: 24px; align-items: start; }
@media (max-width: 767px) { .columns { grid-template-columns: minmax(0, 1fr); } h1 { font-size: 26px; } }
.body { border: 1px solid var(--line); border-radius: 6px; padding: 16px 24px; overflow-wrap: anywhere; }
.body > :first-child { margin-top: 0; }
.body > :last-child { margin-bottom: 0; }
.body h1, .body h2 { padding-bottom: 0.3em; border-bottom: 1px solid var(--line); }
.body h1 { font-size: 1.75em; font-weight: 600; }
.body h2 { font-size: 1.4em; }
.body h3 { font-size: 1.15em; }
.body h1, .body h2, .body h3, .body h4 { margin: 24px 0 12px; line-height: 1.25; }
.body p, .body ul, .body ol, .body pre, .body .table, .body details, .body blockquote { margin: 0 0 16px; }
.body blockquote { padding: 0 1em; border-left: 0.25em solid var(--line); color: var(--soft); }
.body hr { height: 1px; margin: 24px 0; border: 0; background: var(--line); }
a { color: var(--link); }
a:focus-visible, [tabindex]:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
code { padding: 0.2em 0.4em; border-radius: 6px; background: var(--chip); white-space: break-spaces; }
pre { overflow: auto; padding: 16px; border-radius: 6px; background: var(--raised); }
pre code { padding: 0; background: none; white-space: pre; }
pre.diff { padding: 8px 0; }
pre.diff code { display: inline-block; min-width: 100%; }
pre.diff span { display: block; padding: 0 16px; }
.added { background: var(--added); }
.removed { background: var(--removed); }
.hunk { background: var(--hunk); color: var(--soft); }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 6px 13px; border: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
td code { white-space: break-spaces; }
th { background: var(--raised); white-space: nowrap; }
th.align-center, td.align-center { text-align: center; }
th.align-right, td.align-right { text-align: right; }
summary { cursor: pointer; }
aside section { padding: 0 0 16px; margin-bottom: 16px; border-bottom: 1px solid var(--line); font-size: 14px; }
aside section:last-child { border-bottom: 0; }
aside h2 { margin: 0 0 8px; color: var(--soft); font-size: 12px; font-weight: 600; }
aside ul { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.none { margin: 0; }
.label { padding: 1px 10px; border: 1px solid var(--line); border-radius: 2em; background: var(--chip); font-weight: 500; overflow-wrap: anywhere; }
.label.auto { background: var(--auto); }
.label.likely { background: var(--likely); }
.label.culprit { background: var(--culprit); }
.assignee { font-weight: 600; }
@media print { .body, pre { border-color: #999999; } }
`;
