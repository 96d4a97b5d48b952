import type { MemoryModel } from '@keepsake/core';

/** Keeps the user's profile without an API key: it only understands "I am …". */
export const localMemoryModel: MemoryModel = {
  async generate({ prompt }) {
    const name = /I am (\w+)/.exec(prompt.slice(prompt.indexOf('<said>')))?.[1];
    return { text: JSON.stringify(name === undefined ? {} : { name }) };
  },
};
