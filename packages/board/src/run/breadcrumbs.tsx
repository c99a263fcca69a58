import type { JsonObject, JsonValue } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { exact, plural, span } from '../format.js';
import { Marked } from '../parts/marked.js';
import { ShowRest } from '../parts/show-rest.js';
import { visible } from '../parts/text.js';
import { Members } from './members.js';

/** Breadcrumbs shown at first: those before the crash. */
const SHOWN = 12;

interface BreadcrumbsProps {
  readonly breadcrumbs: readonly JsonObject[];
  /** When it crashed, ISO 8601, by the same clock. */
  readonly crashedAt: string;
}

/** What the program did before the crash, oldest first. */
export function Breadcrumbs({ breadcrumbs, crashedAt }: BreadcrumbsProps) {
  const all = useSignal(false);
  if (breadcrumbs.length === 0) return null;
  const hidden = all.value ? 0 : Math.max(0, breadcrumbs.length - SHOWN);
  return (
    <section class="part" aria-labelledby="breadcrumbs">
      <h3 id="breadcrumbs" tabIndex={-1}>
        Breadcrumbs <span class="soft">{plural(breadcrumbs.length, 'entry', 'entries')}, the crash last</span>
      </h3>
      {hidden > 0 && <ShowRest all={all} what={plural(hidden, 'earlier entry', 'earlier entries')} />}
      <ol class="breadcrumbs">
        {breadcrumbs.slice(hidden).map((crumb, at) => (
          <Breadcrumb key={hidden + at} crumb={crumb} crashedAt={crashedAt} />
        ))}
      </ol>
    </section>
  );
}

const PLACED = new Set(['timestamp', 'type', 'category', 'level', 'message', 'data']);
const TONES: Readonly<Record<string, string>> = {
  fatal: 'red',
  critical: 'red',
  error: 'red',
  warning: 'amber',
  warn: 'amber',
};

function Breadcrumb({ crumb, crashedAt }: { readonly crumb: JsonObject; readonly crashedAt: string }) {
  const { timestamp, type, category, level, message, data } = crumb;
  const at = timeOf(timestamp);
  const kind = textOf(category) ?? textOf(type) ?? 'default';
  const severity = textOf(level);
  const rest = Object.fromEntries(Object.entries(crumb).filter(([name]) => !PLACED.has(name)));
  const members = { ...objectOf(data), ...rest };
  return (
    <li>
      <span class="when num soft">
        {at !== null && (
          <time dateTime={at} title={exact(at)}>
            {before(at, crashedAt)}
          </time>
        )}
      </span>
      <span class="kind">
        <code class="untrusted">{visible(kind)}</code>
        {severity !== null && severity !== 'info' && (
          <span class="pill untrusted" data-tone={TONES[severity] ?? 'grey'}>
            {visible(severity)}
          </span>
        )}
      </span>
      <div class="what untrusted">
        {textOf(message) !== null && (
          <p>
            <Marked text={textOf(message) ?? ''} />
          </p>
        )}
        {Object.keys(members).length > 0 && <Members of={members} />}
      </div>
    </li>
  );
}

/** Seconds since 1970, also as text, or ISO 8601. */
function timeOf(value: JsonValue | undefined): string | null {
  const seconds = typeof value === 'string' && /^[\d.]{1,20}$/.test(value) ? Number(value) : value;
  const ms = typeof seconds === 'number' ? seconds * 1000 : Date.parse(String(value));
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : null;
}

/** `−3.2 s`: before the crash. */
function before(at: string, crashedAt: string): string {
  const ms = Date.parse(crashedAt) - Date.parse(at);
  return ms === 0 ? '0 s' : `${ms > 0 ? '−' : '+'}${span(Math.abs(ms))}`;
}

function textOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : { data: value };
}
