/** Waits for all calls, which may refuse their input, and rejects with the error that counts most: a refusal only if there is no other. */
export async function each(calls: readonly Promise<unknown>[], isRefusal: (error: unknown) => boolean): Promise<void> {
  const results = await Promise.allSettled(calls);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !isRefusal(error)) ?? errors[0];
}
