import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
} from 'graphql';

/** A GraphQL request, compared with a schema. */
export interface Question {
  /** `null` if it cannot be parsed. */
  readonly document: DocumentNode | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** `query NAME`; `null` without one operation. */
  readonly route: string | null;
  /** What in it violates the schema, so that it is refused. */
  readonly errors: readonly GraphQLError[];
  /** The same, and variables that the operation does not declare, which hosts ignore. */
  readonly problems: readonly string[];
}

interface ReadDocument {
  readonly document: DocumentNode | null;
  readonly errors: readonly GraphQLError[];
}

const MAX_READ = 500;

/** Reads requests. Each document is parsed and validated once. */
export class Questions {
  private readonly documents = new Map<string, ReadDocument>();

  constructor(private readonly schema: () => GraphQLSchema) {}

  read(body: unknown): Question {
    const { query = '', variables: given } = Object(body);
    const variables: Record<string, unknown> = Object(given);
    const { document, errors } = this.document(String(query));
    const operation = document && getOperationAST(document);
    const declared = operation?.variableDefinitions ?? [];
    const found = [...errors, ...(getVariableValues(this.schema(), declared, variables).errors ?? [])];
    if (document && !operation) found.push(new GraphQLError('An operation name is required'));
    if (operation && !this.schema().getRootType(operation.operation))
      found.push(new GraphQLError(`Schema is not configured for ${operation.operation}s`));
    const names = new Set(declared.map(({ variable }) => variable.name.value));
    const unknown = Object.keys(variables).filter((name) => !names.has(name));
    const route = operation ? `${operation.operation} ${operation.name?.value ?? ''}`.trim() : null;
    const problems = [
      ...found.map(({ message }) => message),
      ...unknown.map((name) => `Variable "$${name}" is not declared`),
    ].map((problem) => `${route ?? 'GraphQL'}: ${problem}`);
    return { document, variables, route, errors: found, problems };
  }

  private document(text: string): ReadDocument {
    const known = this.documents.get(text) ?? this.parsed(text);
    if (this.documents.size < MAX_READ) this.documents.set(text, known);
    return known;
  }

  private parsed(text: string): ReadDocument {
    try {
      const document = parse(text);
      return { document, errors: validate(this.schema(), document) };
    } catch (error) {
      if (error instanceof GraphQLError) return { document: null, errors: [error] };
      throw error;
    }
  }
}
