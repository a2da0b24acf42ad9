import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arnOf, functionOf, functionsPerTest } from './inline-functions';

const { start, folder: codeFolder } = functionsPerTest();

describe('The template', () => {
  test('is refused with more than 250 MB of code', async () => {
    const lambda = await start({});
    const folder = codeFolder();
    const big = functionOf(folder, 'big', '');
    mkdirSync(join(folder, 'big', 'deep'));
    const file = join(folder, 'big', 'deep', 'data');
    writeFileSync(file, '');
    truncateSync(file, 250 * 1024 * 1024);
    await lambda.create(big);
    truncateSync(file, 250 * 1024 * 1024 + 1);
    expect(() => lambda.create(big)).toThrow('big: the code has 262144001 bytes, Lambda allows 262144000');
  });

  test('is refused with a function policy of more than 20 KB', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    const SourceArn = `arn:aws:execute-api:eu-central-1:000000000000:api/live/GET/${'x'.repeat(200)}`;
    const add = () => lambda.create(permission({ Principal: 'apigateway.amazonaws.com', SourceArn }));
    for (let n = 0; n < 35; n++) await add();
    expect(() => {
      for (let n = 0; n < 15; n++) void add();
    }).toThrow(/Permission: the policy of f has 2\d{4} bytes, Lambda allows 20480/);
  });

  const permission = (properties: object) => ({
    logicalId: 'Permission',
    type: 'AWS::Lambda::Permission',
    properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf('f'), ...properties },
    metadata: {},
  });

  test('allows a service to invoke a function for the named ARNs', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    await lambda.create(
      permission({ Principal: 'apigateway.amazonaws.com', SourceArn: 'arn:aws:execute-api:*/live/GET/*' }),
    );
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(true);
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/POST/jobs')).toBe(false);
    expect(lambda.permits('f', 'events.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
    expect(lambda.permits('g', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
  });

  test.each([
    [
      'a variable reserved since',
      { Environment: { Variables: { LAMBDA_TASK_ROOT: 'x' } } },
      'LAMBDA_TASK_ROOT is reserved',
    ],
    [
      'a variable that names the default region',
      { Environment: { Variables: { AWS_DEFAULT_REGION: 'x' } } },
      'is reserved',
    ],
    ['a variable of one letter', { Environment: { Variables: { X: '1' } } }, 'X is not a valid variable name'],
    ['a name of 65 characters', { FunctionName: 'f'.repeat(65) }, '64 letters'],
    ['more time than a quarter of an hour', { Timeout: 901 }, 'Timeout'],
    ['too little memory', { MemorySize: 127 }, 'MemorySize'],
    ['a reserved variable', { Environment: { Variables: { AWS_REGION: 'x' } } }, 'AWS_REGION is reserved'],
    ['too large an environment', { Environment: { Variables: { XY: 'x'.repeat(4095) } } }, '4097 bytes'],
    ['another runtime', { Runtime: 'python3.13' }, 'Runtime'],
  ])('with %s is refused', async (_what, properties, message) => {
    const lambda = await start({});
    const folder = codeFolder();
    expect(() => lambda.create(functionOf(folder, 'f', '', properties))).toThrow(message);
  });
});
