import { checkDocument } from './graphql/document.js';
import { type CheckedRequest, checkRequest } from './openapi-requests.js';

/** Of a web page. */
export const NO_ROUTE: CheckedRequest = { route: null, problems: [] };

/** Compares a request with GitHub's schema or description, whatever its answer. */
export function checkedRequest(method: string, url: URL, path: string, text: string): CheckedRequest {
  let body: unknown = null;
  try {
    if (text !== '') body = JSON.parse(text);
  } catch {
    return { route: null, problems: [`${method} ${path}: the body is not JSON`] };
  }
  if (path !== '/graphql') return checkRequest(method, url, path, body);
  return checkDocument((body ?? {}) as { readonly query?: unknown; readonly variables?: unknown });
}
