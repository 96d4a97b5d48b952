import { type core, z } from 'zod';
import type { ServiceRequest } from '../http/service.ts';
import { ApiFailure } from './api-failure.ts';

/** Parses the JSON body of a request with a schema. Refuses anything else with 400, as the API does. */
export function readBody<T>(schema: z.ZodType<T>, { body, headers }: ServiceRequest): T {
  if (!headers['content-type']?.startsWith('application/json')) {
    throw new ApiFailure(
      400,
      'Unsupported content type. This API only accepts application/json.',
      'unsupported_content_type',
    );
  }
  return check(schema, parseJson(body));
}

/** Parses a value with a schema, with the errors of {@link readBody}. */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw toFailure(result.error.issues[0] as core.$ZodIssue, []);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new ApiFailure(400, 'We could not parse the JSON body of your request.');
  }
}

function toFailure(issue: core.$ZodIssue, before: readonly PropertyKey[]): ApiFailure {
  const path = [...before, ...issue.path];
  const param = formatPath(path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const unknown = formatPath([...path, issue.keys[0] as string]);
      return new ApiFailure(400, `Unknown parameter: '${unknown}'.`, 'unknown_parameter', unknown);
    }
    case 'too_big':
      if (issue.origin === 'array') {
        const message = `Invalid '${param}': array too long. Expected an array with maximum length ${issue.maximum}.`;
        return new ApiFailure(400, message, 'array_above_max_length', param);
      }
      return new ApiFailure(400, `Invalid '${param}': above the maximum of ${issue.maximum}.`, 'invalid_value', param);
    case 'invalid_union': {
      // Of the alternatives of a union, reports the one that got furthest.
      const closest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0]?.[0];
      if (closest !== undefined) return toFailure(closest, path);
      return new ApiFailure(400, `Invalid value: '${param}'.`, 'invalid_value', param);
    }
    case 'invalid_type':
      // Zod reports "undefined" for missing values.
      if (issue.message.endsWith('received undefined')) {
        return new ApiFailure(400, `Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
      }
      return new ApiFailure(400, `Invalid type for '${param}': expected ${issue.expected}.`, 'invalid_type', param);
    default:
      return new ApiFailure(400, `Invalid value for '${param}': ${issue.message}`, 'invalid_value', param);
  }
}

function depthOf(issues: readonly core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Key-value pairs such as `metadata`: up to 16, with keys up to 64 and strings up to 512 characters. */
export function pairs<T extends z.ZodType>(value: T) {
  return z.record(z.string().max(64), value).refine((record) => Object.keys(record).length <= 16, 'at most 16 pairs');
}
