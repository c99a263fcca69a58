import type { Engine, ErrorCode } from '@culprit/core';
import type { GenericSchema } from 'valibot';
import type { HttpRequest, HttpResponse, RequestHead, Route } from '../http/message.js';
import type { Identity } from './authenticate.js';
import type { Requirement, Within } from './permit.js';

/** A query parameter: what it means and, unless any text is allowed, the JSON Schema of its value. */
export interface QueryParameter {
  readonly what: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Default false. */
  readonly required?: boolean;
}

/** The OpenAPI description of a route. */
export interface RouteDoc {
  /** The `operationId`: a verb and what it acts on, such as `getRun`. Programs and `@culprit/client` name the route by it. */
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, string | QueryParameter>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly schema: GenericSchema; readonly required: boolean };
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** In addition to those common to all routes of its kind. */
  readonly problems?: readonly ErrorCode[];
}

/** An answer: JSON with a schema, one of media types, or without a body. */
export interface RouteAnswer {
  readonly what: string;
  readonly schema?: GenericSchema;
  readonly type?: string | readonly string[];
}

interface Common {
  readonly method: Exclude<Route['method'], 'OPTIONS'>;
  readonly pattern: string;
  readonly bodyLimit?: number;
  /** The handler reads the body in pieces, while it arrives. */
  readonly streams?: boolean;
  /** The answer to an error. Default: a problem document. */
  readonly refusal?: (error: unknown) => HttpResponse;
  readonly doc: RouteDoc;
}

/** Requires a reviewer or a token, and a scope. */
export interface ReviewerRoute extends Common, Requirement {
  readonly access: 'reviewer';
  /** For a page: what a browser without a session sees instead of a problem document. */
  readonly signIn?: () => HttpResponse;
  readonly handle: (call: ReviewerCall) => HttpResponse | Promise<HttpResponse>;
}
export interface ReviewerCall {
  readonly request: HttpRequest;
  /** Shows only the projects in which the identity has the route's scope. */
  readonly engine: Engine;
  readonly identity: Identity;
  /** Those projects. */
  readonly within: Within;
}

/** Requires the bearer token shared by edge and core. */
export interface InternalRoute extends Common {
  readonly access: 'internal';
  readonly handle: (call: Omit<ReviewerCall, 'identity' | 'within'>) => Promise<HttpResponse>;
}

/** Open to anyone who reaches the port under an allowed host name. */
export interface OpenRoute extends Common {
  readonly access: 'open';
  /** Throws before the body is read if the request must be refused. */
  readonly admit?: (head: RequestHead) => void;
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
}

export type CoreRoute = ReviewerRoute | InternalRoute | OpenRoute;
