import type { JsonObject } from '../../domain/json.js';
import { asEntries, asObject, asText, type Json } from './read.js';

export interface Message {
  readonly message: string | null;
  readonly template: string | null;
}

/** `message` is text or an older SDK's log entry; `logentry` has the template and its parameters. */
export function messageOf(crash: JsonObject): Message {
  const entry =
    asObject(crash.logentry) ?? asObject(crash['sentry.interfaces.Message']) ?? asObject(crash.message);
  const template = entry === null ? null : asText(entry.message);
  const formatted = entry === null ? null : asText(entry.formatted);
  const own = asText(crash.message) ?? asText(crash.logentry);
  const message = own ?? formatted ?? (template === null ? null : fill(template, entry?.params));
  return { message, template: template === message ? null : template };
}

/** Inserts parameters into `%s`, `%(name)s`, `{}`, `{0}` and `{name}`; a placeholder without a parameter stays. */
function fill(template: string, params: Json): string {
  const values = new Map<string, string>();
  const named = Array.isArray(params) ? Object.entries<Json>(params) : asEntries(params);
  for (const [name, value] of named) values.set(name, shown(value));
  let next = 0;
  // One parameter may be named thousands of times.
  let room = TEMPLATE_CHARS;
  return template
    .slice(0, TEMPLATE_CHARS)
    .replace(
      /%(?:\((\w{1,64})\))?[sdifr]|\{(\w{0,64})\}/g,
      (placeholder, named: string | undefined, braced: string | undefined) => {
        const value = values.get(named || braced || String(next++)) ?? placeholder;
        room -= value.length;
        return room < 0 ? '' : value;
      },
    );
}

/** Far more than is kept of a message. */
const TEMPLATE_CHARS = 8192;

function shown(value: Json): string {
  if (typeof value === 'string') return value.slice(0, 1024);
  return typeof value === 'object' && value !== null ? '…' : String(value);
}

/** Lines read of a text of unknown format. */
const LINES = 200;
const TELLS = /error|exception|fatal|panic|fault|fail|abort|cannot|can't|not found|no such|denied/i;

/**
 * The line of a text of unknown format that best describes what happened: the first that mentions a failure, or else
 * the first. Without it, all such crashes would be one incident.
 */
export function failureLine(text: string | null): string | null {
  const lines = (text ?? '')
    .slice(0, 65_536)
    .split(/[\n\r\u2028\u2029]/, LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => TELLS.test(line)) ?? lines[0] ?? null;
}
