import { describe, expect, it } from 'vitest';
import { commandIn } from '../src/chat/commands.ts';

describe('commands of the chat', () => {
  it.each([
    ['help', 'help'],
    ['?', 'help'],
    ['What can you do?', 'help'],
    ['exit', 'exit'],
    ['Quit.', 'exit'],
    ['bye!', 'exit'],
    ['delete everything', 'delete everything'],
    ['Please forget everything.', 'delete everything'],
    ['Delete all my data, please.', 'delete everything'],
    ['forget everything you know about me', 'delete everything'],
    ["don't remember this", 'forget last'],
    ["Please don't remember that.", 'forget last'],
    ['forget that', 'forget last'],
    ["don't remember this: my PIN is 1234", 'off the record'],
    ["Don't remember this. My PIN is 1234.", 'off the record'],
    ["My PIN is 1234. Don't remember that.", 'off the record'],
    ['Off the record, I am leaving.', 'off the record'],
    ['My wifi password is hunter2, forget it', 'off the record'],
    ['My wifi password is hunter2, so please forget it again.', 'off the record'],
    ['My wifi password is hunter2 - never mind that.', 'off the record'],
    ['I am leaving; delete what I just said.', 'off the record'],
    ['I am leaving. Scratch that.', 'off the record'],
    ['I am leaving. Forget I said that!', 'off the record'],
    ["I am leaving, but don't save that.", 'off the record'],
    ['Never mind that.', 'forget last'],
    ['Forget I said that.', 'forget last'],
    ['delete what I just told you', 'forget last'],
  ])('%s means: %s', (line, type) => {
    expect(commandIn(line)).toEqual({ type });
  });

  it.each([
    ['forget about my bike', 'my bike'],
    ['Please forget about my bike. Thanks!', 'my bike'],
    ['Forget that I live in Lisbon.', 'I live in Lisbon'],
    ['delete everything about my bike', 'my bike'],
    ['forget what I told you about Ada', 'Ada'],
    ['Remove the memory of my bike', 'my bike'],
  ])('%s forgets: %s', (line, about) => {
    expect(commandIn(line)).toEqual({ type: 'forget', about });
  });

  it.each([
    "Don't forget my bike.",
    'I forget my keys often.',
    'Forget-me-nots grow in the garden.',
    'Never mind.',
    "My wifi password has changed, don't forget it.",
    'Forget it, I live in Porto now.',
    'If the alarm rings, forget it.',
    'My bike was stolen. Never mind.',
    'Forget it.',
    'Where is my bike?',
    'Help my sister with her tax return.',
    'I want to delete everything from my old phone.',
    'I sold my bike. Forget about the lock. It is gone.',
    'Exit 12 is where we leave the motorway.',
    '',
  ])('%s is no command', (line) => {
    expect(commandIn(line)).toBeUndefined();
  });
});
