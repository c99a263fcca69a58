import { CulpritError } from '@culprit/core';

/** Vendor libraries are loaded at first use, so that an unused connector costs nothing. */
export async function loadGraphql(): Promise<typeof import('@octokit/graphql')> {
  return load(() => import('@octokit/graphql'), '@octokit/graphql');
}

export async function loadRest(): Promise<typeof import('@octokit/rest')> {
  return load(() => import('@octokit/rest'), '@octokit/rest');
}

async function load<T>(library: () => Promise<T>, name: string): Promise<T> {
  try {
    return await library();
  } catch (cause) {
    throw new CulpritError('connector_missing', `The github connector needs ${name}: npm install ${name}`, {
      cause,
    });
  }
}
