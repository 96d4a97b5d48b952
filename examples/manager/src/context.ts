import { contextInjector } from '@keepsake/core';

const clock = contextInjector({
  trigger: 'everyTurn',
  render: () => `<today>${new Date().toISOString().slice(0, 10)}</today>`,
});

const [message] = await clock.inject([{ role: 'user', content: 'Is the shop open?' }]);
console.log(message?.content);
