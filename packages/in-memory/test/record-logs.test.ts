import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { MemoryLogs } from './memory-logs.ts';
import { memoryLogsHarness } from './memory-logs-harness.ts';

describeRecordLogs('the tests', () => memoryLogsHarness(new MemoryLogs()));
