// `npm run test:node -- 22`: the packages and examples on another Node, with torture tests.
// `npm run test:node -- 22 packages/file`: only the tests of some.
import { testOnNode } from './test-on-node.ts';

const [version, ...projects] = process.argv.slice(2);
if (version === undefined) {
  console.error('Name a version of Node: npm run test:node -- 22');
  process.exit(2);
}
const failed = await testOnNode(version, projects);
for (const one of failed) console.error(`Failed on Node ${version}: ${one}`);
process.exitCode = failed.length > 0 ? 1 : 0;
