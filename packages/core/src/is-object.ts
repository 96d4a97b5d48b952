/** Whether a value has fields: arrays do, `null` does not. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
