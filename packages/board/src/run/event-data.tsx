import type { Event, JsonObject, JsonValue } from '@culprit/core';
import type { ComponentChildren } from 'preact';
import { bytes, plural } from '../format.js';
import { Copy } from '../parts/copy.js';
import { Marked } from '../parts/marked.js';
import { oneLine, visible } from '../parts/text.js';
import { Breadcrumbs } from './breadcrumbs.js';
import { Members } from './members.js';
import { Redactions } from './redactions.js';

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
                <h4 class="untrusted">{visible(name)}</h4>
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
          <ul class="attachments">
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
          {typeof method === 'string' && <b>{visible(method)}</b>}{' '}
          {typeof url === 'string' && <Marked text={url} />}
        </p>
      )}
      {plain.length > 0 && <Members of={Object.fromEntries(plain)} />}
      {groups.map(([name, value]) => (
        <div key={name} class="context">
          <h4 class="untrusted">{visible(LABELS[name] ?? name)}</h4>
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

interface PartProps {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Part({ id, title, note, action, children }: PartProps) {
  return (
    <section class="part" aria-labelledby={id}>
      <div class="part-head">
        <h3 id={id} tabIndex={-1}>
          {title} {note !== undefined && <span class="soft">{note}</span>}
        </h3>
        {action}
      </div>
      {children}
    </section>
  );
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(object: object): boolean {
  return Object.keys(object).length > 0;
}
