import type { Event, JsonObject, JsonValue } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { bytes, plural, span } from '../format.js';
import { Copy } from '../parts/copy.js';
import { Marked } from '../parts/marked.js';
import { Part } from '../parts/part.js';
import { Pill } from '../parts/pill.js';
import { ShowRest } from '../parts/show-rest.js';
import { oneLine, Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { Members } from './members.js';

/** Everything that one event reports beside its stack; parts that it does not have are omitted. */
export function EventData({ event }: { readonly event: Event }) {
  const { user, contexts, extra, modules, attachments } = event;
  const { trace, ...others } = contexts;
  return (
    <>
      <Breadcrumbs key={event.event_id} breadcrumbs={event.breadcrumbs} crashedAt={event.timestamp} />
      <RequestSection request={event.request} />
      {user !== null && isFilled(user) && (
        <Part id="user" title="User">
          <Members of={user} />
        </Part>
      )}
      {isObject(trace) && (
        <Part id="trace" title="Trace" action={<TraceId trace={trace} />}>
          <Members of={trace} />
        </Part>
      )}
      {isFilled(others) && (
        <Part id="contexts" title="Contexts" note={plural(Object.keys(others).length, 'context')}>
          <div class="contexts">
            {Object.entries(others).map(([name, context]) => (
              <div key={name} class="context">
                <Text as="h4" of={name} />
                <Members of={isObject(context) ? context : { value: context }} />
              </div>
            ))}
          </div>
        </Part>
      )}
      {isFilled(extra) && (
        <Part id="extra" title="Additional data">
          <Members of={extra} />
        </Part>
      )}
      {attachments.length > 0 && (
        <Part id="attachments" title="Attachments" note="received and not stored">
          <ul class="stack">
            {attachments.map(({ name, bytes: size }, at) => (
              <li key={at} class="untrusted">
                <code>
                  <Marked text={name} />
                </code>{' '}
                <span class="soft num">{bytes(size)}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {isFilled(modules) && (
        <section class="part" aria-labelledby="packages">
          <details>
            <summary>
              <h3 id="packages" tabIndex={-1}>
                Packages <span class="soft">{plural(Object.keys(modules).length, 'package')}</span>
              </h3>
            </summary>
            <Members of={modules} />
          </details>
        </section>
      )}
      <Redactions event={event} />
    </>
  );
}

function RequestSection({ request }: { readonly request: JsonObject | null }) {
  if (request === null || !isFilled(request)) return null;
  const { method, url, ...rest } = request;
  const plain = Object.entries(rest).filter(([, value]) => value !== null && !isObject(value));
  const groups = Object.entries(rest).flatMap(([name, value]) =>
    isObject(value) && isFilled(value) ? [[name, value] as const] : [],
  );
  return (
    <Part id="request" title="Request">
      {(typeof method === 'string' || typeof url === 'string') && (
        <p class="request-line untrusted">
          {typeof method === 'string' && <Text as="b" of={method} />}{' '}
          {typeof url === 'string' && <Marked text={url} />}
        </p>
      )}
      {plain.length > 0 && <Members of={Object.fromEntries(plain)} />}
      {groups.map(([name, value]) => (
        <div key={name} class="context">
          <Text as="h4" of={LABELS[name] ?? name} />
          <Members of={value} />
        </div>
      ))}
    </Part>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  headers: 'Headers',
  cookies: 'Cookies',
  env: 'Environment',
  data: 'Body',
  query_string: 'Query',
};

function TraceId({ trace }: { readonly trace: JsonObject }) {
  const { trace_id: id } = trace;
  return typeof id === 'string' ? (
    <Copy what="the trace ID" text={oneLine(id)} label="Copy trace ID" />
  ) : null;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(object: object): boolean {
  return Object.keys(object).length > 0;
}

const MARK = /\[redacted:([a-z0-9_-]{1,40})\]/g;

/** How many values of an event each rule redacted, the most first. */
function redactionsOf(event: Event): readonly (readonly [rule: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const [, rule = ''] of JSON.stringify(event).matchAll(MARK))
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1));
}

/** What was redacted from an event before it was stored. Nothing without any. */
function Redactions({ event }: { readonly event: Event }) {
  const rules = redactionsOf(event);
  if (rules.length === 0) return null;
  const all = rules.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Part id="redactions" title="Redacted" note={`${plural(all, 'value')}, before anything was stored`}>
      <p class="labels flow">
        {rules.map(([rule, count]) => (
          <Pill key={rule}>
            {rule} <span class="num">{count}</span>
          </Pill>
        ))}
      </p>
    </Part>
  );
}

/** Breadcrumbs shown at first: those before the crash. */
const SHOWN = 12;

interface BreadcrumbsProps {
  readonly breadcrumbs: readonly JsonObject[];
  /** When it crashed, ISO 8601, by the same clock. */
  readonly crashedAt: string;
}

/** What the program did before the crash, oldest first. */
function Breadcrumbs({ breadcrumbs, crashedAt }: BreadcrumbsProps) {
  const all = useSignal(false);
  if (breadcrumbs.length === 0) return null;
  const hidden = all.value ? 0 : Math.max(0, breadcrumbs.length - SHOWN);
  return (
    <Part
      id="breadcrumbs"
      title="Breadcrumbs"
      note={`${plural(breadcrumbs.length, 'entry', 'entries')}, the crash last`}
    >
      {hidden > 0 && <ShowRest all={all} what={plural(hidden, 'earlier entry', 'earlier entries')} />}
      <ol class="breadcrumbs">
        {breadcrumbs.slice(hidden).map((crumb, at) => (
          <Breadcrumb key={hidden + at} crumb={crumb} crashedAt={crashedAt} />
        ))}
      </ol>
    </Part>
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
      <span class="when num soft">{at !== null && <When iso={at}>{before(at, crashedAt)}</When>}</span>
      <span class="kind">
        <Text as="code" of={kind} />
        {severity !== null && severity !== 'info' && (
          <Text of={severity} class="pill" data-tone={TONES[severity] ?? 'grey'} />
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
