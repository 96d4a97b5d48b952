import type { ServiceRequest } from './service.ts';

/** The handler of a method and a path pattern. `parameters` are the decoded parts that are named `:name` in the pattern. */
export interface Route<Answer> {
  readonly method: string;
  /** Such as `/items/:item`. */
  readonly shape: string;
  readonly answer: (request: ServiceRequest, parameters: readonly string[]) => Answer;
}

/** The route of a request and the values of its parameters; `undefined` if there is none. */
export function findRoute<Answer>(
  routes: readonly Route<Answer>[],
  request: ServiceRequest,
): { readonly route: Route<Answer>; readonly parameters: readonly string[] } | undefined {
  const parts = request.path.split('/');
  for (const route of routes) {
    if (route.method !== request.method) continue;
    const shape = route.shape.split('/');
    const fits = shape.length === parts.length && shape.every((part, at) => part.startsWith(':') || part === parts[at]);
    if (!fits) continue;
    const parameters = parts.filter((_, at) => shape[at]?.startsWith(':')).map(decodeURIComponent);
    return { route, parameters };
  }
  return undefined;
}
