import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';

const folder = join(__dirname, '../../lambdas/http');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, ''));
const handlers = [...new Set(Object.values(endpointTable).map(({ handler }) => handler))];

test('the files below lambdas/http are exactly the handlers of the contract', () => {
  expect(files.sort()).toEqual(handlers.sort());
});

test.each(handlers)('%s serves an endpoint whose handler it is', (handler) => {
  const [, served] = /\bserve\(\s*'([^']+)'/.exec(readFileSync(join(folder, `${handler}.ts`), 'utf8')) ?? [];
  expect(Object.entries(endpointTable).find(([key]) => key === served)?.[1].handler).toBe(handler);
});
