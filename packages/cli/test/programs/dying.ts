import type { RecordStore, SessionStore } from '@keepsake/core';

/** The method after whose calls the process dies, and how many there are: `putMany 2`. */
const [method = '', calls = ''] = (process.env.DIES_AFTER ?? '').split(' ');
let left = Number(calls);

/** A store or its sessions, which kill the process once enough calls of a method have succeeded. */
export function dying<Part extends RecordStore | SessionStore>(part: Part): Part {
  return method === '' ? part : watched(part);
}

function watched<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key === 'within' || key === 'open') return (...args: unknown[]) => watched(value.apply(target, args));
      if (key !== method) return value.bind(target);
      return async (...args: unknown[]) => {
        const result = await value.apply(target, args);
        left--;
        if (left === 0) process.kill(process.pid, 'SIGKILL');
        return result;
      };
    },
  });
}
