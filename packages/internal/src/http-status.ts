import { isObject } from './is-object.ts';

const MAX_CAUSES = 8;

/** An error and its causes, outermost first. The cause of several tries is the last of them. */
export function causesOf(error: unknown): Record<string, unknown>[] {
  const causes: Record<string, unknown>[] = [];
  for (let one = error; isObject(one) && causes.length < MAX_CAUSES; ) {
    causes.push(one);
    one = one.cause ?? (Array.isArray(one.errors) ? one.errors.at(-1) : undefined);
  }
  return causes;
}

/** The HTTP status of an error or of one that caused it, wherever its SDK keeps it. */
export function httpStatusOf(error: unknown): number | undefined {
  for (const { status, statusCode, response, $metadata, code } of causesOf(error)) {
    const { httpStatusCode } = isObject($metadata) ? $metadata : {};
    const answered = isObject(response) ? response : {};
    const candidates = [status, statusCode, answered.status, answered.statusCode, httpStatusCode, code];
    const httpStatus = candidates.find((value) => /^[45]\d\d$/.test(`${value}`));
    if (httpStatus !== undefined) return Number(httpStatus);
  }
  return undefined;
}
