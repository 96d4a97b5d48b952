// `npm run test:node -- 22`: checks and tests the packages and examples on another Node, torture tests included.
import { closing } from './results.ts';
import { CHECK_PACKAGE, TEST, TORTURE } from './targets.ts';
import { testOnNode } from './test-on-node.ts';

const [version, ...more] = process.argv.slice(2);
if (version === undefined || more.length > 0) {
  console.error('Name one version of Node: npm run test:node -- 22');
  process.exit(2);
}
const total = await testOnNode(version, [CHECK_PACKAGE, TEST, TORTURE]);
console.log(closing(total));
process.exitCode = total.failed > 0 ? 1 : 0;
