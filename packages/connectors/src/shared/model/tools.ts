import { hash } from 'node:crypto';
import { findingSchema } from '@culprit/core/internal/domain/investigation';
import { QUESTIONS, type QuestionName } from '@culprit/core/internal/domain/question';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Tool, ToolCall } from './client.js';

/** JSON Schema of what a model writes. */
export function jsonSchemaOf(schema: v.GenericSchema): object {
  const { $schema: _, title: __, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' });
  return rest;
}

/** With it the model ends an investigation. */
export const FINDING: Tool = {
  name: 'finding',
  description: 'Hand in what you found. This ends the investigation.',
  parameters: jsonSchemaOf(findingSchema),
};

/** The questions as tools. */
export function toolsOf(questions: readonly QuestionName[]): readonly Tool[] {
  return questions.map((name) => {
    const { about, input } = QUESTIONS[name];
    return { name, description: about, parameters: jsonSchemaOf(input) };
  });
}

/** The arguments of a call; `null` if they are no JSON object. */
export function argumentsOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** A call as a server sends it. `arguments` is a text or an object; some give no id. */
export const sentCall = v.looseObject({
  id: v.nullish(v.string()),
  function: v.object({
    name: v.string(),
    arguments: v.nullish(v.union([v.string(), v.record(v.string(), v.unknown())])),
  }),
});

/** `index`: of the call in the answer. */
export function toolCallOf(
  sent: Pick<v.InferOutput<typeof sentCall>, 'id' | 'function'>,
  index: number,
): ToolCall {
  const { name, arguments: given } = sent.function;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return { id: sent.id || callId(`${index} ${name} ${text}`), name, arguments: text };
}

/** An id for a call whose server gives none, the same for the same text. Mistral wants nine letters or digits. */
export function callId(text: string): string {
  return hash('sha256', text).slice(0, 9);
}
