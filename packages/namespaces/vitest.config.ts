import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import { testsOf } from '../../vitest.shared.ts';

export default mergeConfig(
  testsOf(import.meta.dirname),
  // What takes minutes has a configuration of its own.
  defineConfig({ test: { exclude: [...configDefaults.exclude, 'test/torture/**'] } }),
);
