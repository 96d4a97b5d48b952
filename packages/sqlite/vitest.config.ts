import { testsOf } from '@keepsake/testing/vitest';

export default testsOf(import.meta.dirname);
