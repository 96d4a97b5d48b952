/** Whether a value is an object with named fields: arrays and `null` are not. */
export function isObject<Field = unknown>(value: unknown): value is Record<string, Field> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
