import { tortureOf } from '@keepsake/testing/vitest-torture';

export default tortureOf(import.meta.dirname);
