import type { Event } from '../../domain/event.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import type { Section } from '../draft/draft-source.js';
import { isOwn, shortFunction } from '../draft/frame-place.js';
import { codeSpan, fence } from '../draft/safe-markdown.js';
import { clip } from '../draft/visible.js';
import type { BriefSource } from './brief-source.js';

const REQUEST_CHARS = 1_500;
const VARIABLES_CHARS = 1_500;
/** Frames whose variables are shown, the throwing one first. */
const MOST_FRAMES = 2;
const MOST_BREADCRUMBS = 5;
/** Headers that change what a server does with a request. The others may identify a person. */
const HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'host',
  'user-agent',
]);
const CONTEXTS = ['runtime', 'os', 'browser', 'device'] as const;

/** What is known of the failed call: commit, environment, request, variables, and what happened before. */
export function reproduceSection(source: BriefSource): readonly Section[] {
  const { event, scrub } = source;
  const parts = [
    '### Reproduce',
    'As the crash reported it, redacted. Nothing was run.',
    listOf(settingOf(source)),
  ];
  const sections: Section[] = [{ name: 'how to reproduce', expendable: 1, text: parts.join('\n\n') }];
  const add = (name: string, expendable: number, heading: string, body: string | null) => {
    if (body !== null) sections.push({ name, expendable, text: `${heading}\n\n${body}` });
  };
  add('the request', 4, '**Request**', block(requestOf(event), REQUEST_CHARS, scrub));
  for (const { name, vars } of variablesOf(source))
    add('the variables', 5, `**Variables** in ${name}`, block(vars, VARIABLES_CHARS, scrub));
  const before = breadcrumbsOf(event).map((text) => codeSpan(scrub(text), 200));
  add(
    'the breadcrumbs',
    8,
    '**Before the crash**, oldest first',
    before.length === 0 ? null : listOf(before),
  );
  return sections;
}

/** Whether the crash reports what was asked of the program. */
export function hasRequest({ event }: BriefSource): boolean {
  return requestOf(event) !== null || event.transaction !== null;
}

export function hasVariables(source: BriefSource): boolean {
  return variablesOf(source).length > 0;
}

function settingOf({ run, event, revision, scrub }: BriefSource): readonly string[] {
  const span = (text: string) => codeSpan(scrub(text), 120);
  const contexts = CONTEXTS.flatMap((name) => nameOf(event.contexts[name]) ?? []);
  return [
    revision === null ? 'Commit: unknown' : `Commit: ${codeSpan(revision.sha)}`,
    `Platform: ${[run.platform, ...contexts].map(span).join(', ')}`,
    ...(event.release === null ? [] : [`Release: ${span(event.release)}`]),
    ...(event.environment === null ? [] : [`Environment: ${span(event.environment)}`]),
    ...(event.transaction === null ? [] : [`Transaction: ${span(event.transaction)}`]),
  ];
}

/** `node 20.19.4` of a context. */
function nameOf(context: JsonValue | undefined): string | null {
  if (!isObject(context) || typeof context.name !== 'string') return null;
  return typeof context.version === 'string' ? `${context.name} ${context.version}` : context.name;
}

function requestOf({ request }: Event): JsonObject | null {
  if (request === null) return null;
  const { method, url, query_string, data, headers } = request;
  const shown = Object.entries(isObject(headers) ? headers : {}).filter(([name]) =>
    HEADERS.has(name.toLowerCase()),
  );
  const all = { method, url, query_string, headers: Object.fromEntries(shown), data };
  const told = Object.entries(all).filter(
    ([, value]) => value !== undefined && value !== null && JSON.stringify(value) !== '{}',
  );
  return told.length === 0 ? null : (Object.fromEntries(told) as JsonObject);
}

function variablesOf({ thrown, located, scrub }: BriefSource): readonly { name: string; vars: JsonObject }[] {
  const frames = thrown?.exception.frames ?? [];
  const placed = new Set(located.map(({ frame }) => frame));
  return frames
    .map((frame, index) => ({ frame, index }))
    .reverse()
    .filter(({ frame, index }) => placed.has(index) || isOwn(frame))
    .flatMap(({ frame: { vars, function: name } }) =>
      vars === null || Object.keys(vars).length === 0
        ? []
        : [{ name: name === null ? 'a frame' : codeSpan(shortFunction(scrub(name)), 120), vars }],
    )
    .slice(0, MOST_FRAMES);
}

/** `http: GET /cart` of each of the last breadcrumbs. */
function breadcrumbsOf({ breadcrumbs }: Event): readonly string[] {
  return breadcrumbs.slice(-MOST_BREADCRUMBS).flatMap(({ category, message, data }) => {
    const what = typeof message === 'string' ? message : isObject(data) ? JSON.stringify(data) : '';
    const text = [category, what].filter((part) => typeof part === 'string' && part !== '').join(': ');
    return text === '' ? [] : [text];
  });
}

function block(value: JsonObject | null, most: number, scrub: BriefSource['scrub']): string | null {
  return value === null ? null : fence(clip(scrub(JSON.stringify(value, null, 2)), most), 'text');
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
