import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { cloudFormation, partner } from './fixtures/aws';
import { cirrus, file, folder } from './fixtures/onboarded';

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

  test('hands over the certificate authority of the local stack, once it is known, and of no other', async () => {
    process.env['LOCAL_DIR'] = folder;
    const keys = { accessKeyId: 'LOCAL1', secretAccessKey: 'local' };
    file('aws.json', { endpointUrl: 'http://127.0.0.1:4000', region: 'eu-west-1', stackName: 'Local', ...keys });
    const caFiles = async (...words: string[]) => {
      const { printed } = await partner(...cirrus, ...words);
      const asJson = await partner(...cirrus, ...words, '--json');
      return [/CA file for MQTT +(\S+)/.exec(printed)?.[1], (JSON.parse(asJson.printed) as { caFile?: string }).caFile];
    };
    expect(await caFiles('--local')).toEqual([undefined, undefined]);
    file('stack.json', { caFile: '/stack/ca.pem' });
    expect(await caFiles('--local')).toEqual(['/stack/ca.pem', '/stack/ca.pem']);
    expect(await caFiles()).toEqual([undefined, undefined]);
  });
});
