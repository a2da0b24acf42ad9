import { join } from 'node:path';
import { functionsPerTest } from '../inline-functions';

const outside = JSON.stringify(join(__dirname, '../../../package.json'));

describe('The code of a function', () => {
  const { start } = functionsPerTest();

  test('finds the modules of Node.js and its own files', async () => {
    const lambda = await start({
      own: `const { basename } = require('node:path');
        exports.handler = async () => [basename(require.resolve('./index.js')), typeof require('fs').readFileSync];`,
    });
    expect(await lambda.invoke('own', {})).toEqual(['index.js', 'function']);
  });

  test('finds nothing outside, where a developer has packages and an account has none', async () => {
    const lambda = await start({ reaching: `exports.handler = async () => require(${outside}).name;` });
    await expect(lambda.invoke('reaching', {})).rejects.toThrow("it is not part of the function's code");
  });
});
