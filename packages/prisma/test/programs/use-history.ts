// Supersedes records in its own process. The argument is { url, namespace, job }.
import { type HistoryJob, useHistory } from '@keepsake/suites/stores/use-history';
import { PrismaStore } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Use {
  readonly url: string;
  readonly namespace: readonly string[];
  readonly job: HistoryJob;
}

const { url, namespace, job } = JSON.parse(process.argv[2] ?? '') as Use;
const prisma = connectTo(url);
await prisma.$connect();
await useHistory(new PrismaStore({ prisma, name: 'memory', namespace }), job);
await prisma.$disconnect();
