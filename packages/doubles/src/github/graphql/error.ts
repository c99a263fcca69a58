import { GraphQLError } from 'graphql';

/** A GitHub error: its `type` is beside the message, not under `extensions`. */
export function githubError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
