import { CulpritError } from '@culprit/core';

const STEP = /^(?:[A-Za-z0-9_-]{1,64}|\d{1,4})$/;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A copy with `path=value` set: members by name, list entries by number, created if missing. The value is parsed as JSON,
 * otherwise it is text. Throws `malformed` for anything else.
 */
export function setPath(document: Record<string, unknown>, assignment: string): Record<string, unknown> {
  const at = assignment.indexOf('=');
  const steps = assignment.slice(0, Math.max(0, at)).split('.');
  if (at < 1 || steps.some((step) => !STEP.test(step) || FORBIDDEN.has(step))) {
    throw new CulpritError(
      'malformed',
      `--set ${assignment.slice(0, 60)} must be path=value, such as tags.zone=eu.`,
    );
  }
  return set(document, steps, readValue(assignment.slice(at + 1))) as Record<string, unknown>;
}

function set(target: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const index = /^\d+$/.test(step) ? Number(step) : null;
  if (Array.isArray(target) || (index !== null && target === undefined)) {
    const list: unknown[] = Array.isArray(target) ? [...target] : [];
    if (index === null || index > list.length) {
      throw new CulpritError('malformed', `--set: a list of ${list.length} entries has no index ${step}.`);
    }
    list[index] = set(list[index], rest, value);
    return list;
  }
  const members = typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {};
  return { ...members, [step]: set(members[step], rest, value) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
