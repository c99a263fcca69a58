import { CulpritError } from '@culprit/core';

/** Loaded at first use. */
export async function loadOllama(): Promise<typeof import('ollama')> {
  try {
    return await import('ollama');
  } catch (cause) {
    throw new CulpritError('connector_missing', 'The ollama connector needs ollama: npm install ollama', {
      cause,
    });
  }
}
