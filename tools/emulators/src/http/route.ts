import type { ServiceRequest } from './service.ts';

/** What answers requests of one method and shape of path. `parameters` are the parts named `:so` in the shape, decoded. */
export interface Route<Answer> {
  readonly method: string;
  /** Such as `/items/:item`. */
  readonly shape: string;
  readonly answer: (request: ServiceRequest, parameters: readonly string[]) => Answer;
}

/** The route of a request with the values of its parameters; `undefined` where there is none. */
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
