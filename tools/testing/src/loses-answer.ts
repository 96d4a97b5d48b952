type Method<T> = { [Name in keyof T]: T[Name] extends (...args: never[]) => Promise<unknown> ? Name : never }[keyof T];

/** Wraps an object: the n-th call of the method does its work, but its answer gets lost. */
export function losesAnswer<T extends object>(object: T, method: Method<T>, nth = 1): T {
  let calls = 0;
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const answer: unknown = await value.apply(target, args);
        if (name === method && ++calls === nth) throw new Error('the answer got lost');
        return answer;
      };
    },
  });
}
