import { GraphQLError } from 'graphql';

/** An error of GitHub's: its `type` stands beside the message, not under `extensions`. */
export function githubError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
