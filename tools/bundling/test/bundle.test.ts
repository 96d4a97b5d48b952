import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { bundleCode, bundleTypes } from '../src/index.ts';

const directory = useDirectory();
beforeEach(() => write({ 'package.json': JSON.stringify({ peerDependencies: { peer: '1' } }) }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.path, path)), { recursive: true });
    writeFileSync(join(directory.path, path), text);
  }
}

async function bundled(): Promise<string> {
  const [file] = await bundleCode(directory.path, ['dist/index.js']);
  expect(file?.path).toBe('dist/index.js');
  return file?.text ?? '';
}

describe('bundleCode', () => {
  it('bundles the sources into one file and keeps their names', async () => {
    write({
      'src/index.ts': "export { greet } from './greet.ts';",
      'src/greet.ts':
        "const WORD: string = 'Hellö';\nexport function greet(name: string): string { return WORD + name; }",
    });
    const text = await bundled();

    expect(text).not.toMatch(/import|: string/);
    expect(text).toMatch(/const WORD = "Hellö";\nfunction greet\(name\) \{/);
  });

  it('keeps imports of installed packages', async () => {
    write({
      'src/index.ts': "export { a } from 'peer'; export { b } from 'peer/b'; export { join } from 'node:path';",
    });

    expect((await bundled()).match(/from '(.*)'/g)).toEqual(["from 'peer'", "from 'peer/b'", "from 'node:path'"]);
  });

  it('inlines the used parts of private packages', async () => {
    write({ 'src/index.ts': "export { isMemoryError } from '@keepsake/core';" });
    const text = await bundled();

    expect(text).not.toMatch(/^import/m);
    expect(text).toContain('function isMemoryError(');
    expect(text).not.toContain('class MemoryManager');
  });

  it('keeps the first line of a program', async () => {
    write({ 'src/index.ts': '#!/usr/bin/env node\nconsole.log(1 as number);' });

    expect(await bundled()).toMatch(/^#!\/usr\/bin\/env node\nconsole\.log\(1\);/);
  });

  it('fails if an import is missing', async () => {
    write({ 'src/index.ts': "import './none.ts';" });
    await expect(bundled()).rejects.toThrow('none.ts');
    write({ 'src/index.ts': "import 'no-such-package';" });
    await expect(bundled()).rejects.toThrow('no-such-package');
    write({ 'src/index.ts': "import { none } from './a.ts'; console.log(none);", 'src/a.ts': 'export {};' });
    await expect(bundled()).rejects.toThrow('none');
  });
});

describe('bundleTypes', () => {
  it('bundles the declarations into one file with their comments', async () => {
    write({
      'out-tsc/lib/index.d.ts': "export { type Name, greet } from './greet.ts';\nexport type { P } from 'peer';",
      'out-tsc/lib/greet.d.ts':
        '/** Of a person. */\nexport type Name = string;\nexport declare function greet(name: Name): Name;',
    });
    const [file] = await bundleTypes(directory.path, ['dist/index.d.ts']);

    expect(file?.path).toBe('dist/index.d.ts');
    expect(file?.text).toMatch(/\/\*\* Of a person\. \*\/\ntype Name = string;/);
    expect(file?.text.match(/from '(.*)'/g)).toEqual(["from 'peer'"]);
  });

  it('declares Symbol.asyncDispose if it is used, for users whose libraries lack it', async () => {
    write({
      'out-tsc/lib/index.d.ts': 'export declare class A {\n  [Symbol.asyncDispose](): Promise<void>;\n}',
      'out-tsc/lib/other.d.ts': 'export declare class B {}',
    });
    const [index, other] = await bundleTypes(directory.path, ['dist/index.d.ts', 'dist/other.d.ts']);

    expect(index?.text).toMatch(
      /declare global \{\n {2}interface SymbolConstructor \{\n {4}readonly asyncDispose: unique/,
    );
    expect(other?.text).not.toContain('declare global');
  });
});
