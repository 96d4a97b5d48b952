/** The error of the action, or a timeout error if it takes too long; `undefined` if it succeeds. */
export async function failureWithin(milliseconds: number, action: () => Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${milliseconds} ms`)), milliseconds);
  });
  try {
    await Promise.race([action(), late]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    clearTimeout(timer);
  }
}
