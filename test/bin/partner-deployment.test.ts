import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { join } from 'node:path';
import { answerStacks, cloudFormation, partner } from './fixtures/aws';
import { file, folder } from './fixtures/onboarded';

describe('The deployment', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  const stackName = () => cloudFormation.commandCalls(DescribeStacksCommand)[0]?.args[0].input.StackName;

  test('is DroneMissionApi unless STACK_NAME or --stack names another', async () => {
    await partner('list');
    expect(stackName()).toBe('DroneMissionApi');
    cloudFormation.resetHistory();
    process.env['STACK_NAME'] = 'FromEnvironment';
    await partner('list');
    expect(stackName()).toBe('FromEnvironment');
    cloudFormation.resetHistory();
    await partner('list', '--stack', 'FromFlag');
    expect(stackName()).toBe('FromFlag');
  });

  test('is the local stack with --local, whatever AWS profile is set', async () => {
    process.env['LOCAL_DIR'] = folder;
    process.env['AWS_PROFILE'] = 'production';
    const endpointUrl = 'http://127.0.0.1:4000';
    const keys = { accessKeyId: 'LOCAL1', secretAccessKey: 'local' };
    file('aws.json', { endpointUrl, region: 'eu-west-1', stackName: 'Local', ...keys });
    expect(await partner('list', '--local')).toMatchObject({ exitCode: 0 });
    expect(stackName()).toBe('Local');
    expect(process.env).toMatchObject({ AWS_ENDPOINT_URL: endpointUrl, AWS_ACCESS_KEY_ID: 'LOCAL1' });
    expect(process.env).not.toHaveProperty('AWS_PROFILE');
  });

  test('is not found when no local stack runs', async () => {
    process.env['LOCAL_DIR'] = join(folder, 'nowhere');
    const { exitCode, errorOutput } = await partner('list', '--local');
    expect({ exitCode, errorOutput }).toEqual({
      exitCode: 1,
      errorOutput: expect.stringMatching(/npm start/) as string,
    });
  });

  test('is not found when its endpoint does not answer', async () => {
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:4000';
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    cloudFormation.on(DescribeStacksCommand).rejects(refused);
    expect((await partner('list')).errorOutput).toBe(
      'partner: nothing answers at http://127.0.0.1:4000: is the local stack running?\n',
    );
  });

  test('is refused when it lacks an output', async () => {
    answerStacks({ BaseUrl: 'https://api.example.com' });
    const { exitCode, errorOutput } = await partner('list', '--stack', 'Other');
    expect(exitCode).toBe(1);
    expect(errorOutput).toMatch(/^partner: stack Other has no output ResourceServer, UserPoolId,[^\n]+\n$/);
  });

  test('reports an AWS error in one line', async () => {
    cloudFormation.on(DescribeStacksCommand).rejects(Object.assign(new Error('no\nmore'), { name: 'ValidationError' }));
    expect(await partner('list')).toEqual({ exitCode: 1, printed: '', errorOutput: 'partner: ValidationError: no\n' });
  });
});
