import { CulpritError } from '@culprit/core';

/** Loaded when it is first needed. */
export async function loadOllama(): Promise<typeof import('ollama')> {
  try {
    return await import('ollama');
  } catch (cause) {
    throw new CulpritError('connector_missing', 'The ollama connector needs ollama: npm install ollama', {
      cause,
    });
  }
}
