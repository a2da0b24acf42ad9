import {
  DeleteDomainConfigurationCommand,
  DescribeDomainConfigurationCommand,
  IoTClient,
  ListDomainConfigurationsCommand,
} from '@aws-sdk/client-iot';
import { mockClient } from 'aws-sdk-client-mock';
import { run } from '../../bin/mqtt-domains/run';

const now = new Date('2026-11-27T10:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

/** By name: domain type, status, and since when. */
const account = {
  'DroneMissionApi-mqtt': ['AWS_MANAGED', 'ENABLED', daysAgo(30)],
  'DroneMissionApi-old-mqtt': ['AWS_MANAGED', 'DISABLED', daysAgo(7)],
  'DroneMissionApi-old-viewers': ['AWS_MANAGED', 'DISABLED', daysAgo(6)],
  'DroneMissionApi-new-mqtt': ['AWS_MANAGED', 'DISABLED', daysAgo(8)],
  'DroneMissionApi-own-mqtt': ['CUSTOMER_MANAGED', 'DISABLED', daysAgo(30)],
  'Thermostats-mqtt': ['AWS_MANAGED', 'DISABLED', daysAgo(30)],
  'iot:Data-ATS': ['AWS_MANAGED', 'DISABLED', daysAgo(30)],
} as const;

const iot = mockClient(IoTClient);
const deleted = () =>
  iot.commandCalls(DeleteDomainConfigurationCommand).map(({ args: [{ input }] }) => input.domainConfigurationName);

beforeEach(() => {
  iot.reset();
  iot.on(ListDomainConfigurationsCommand).resolves({
    domainConfigurations: Object.keys(account).map((domainConfigurationName) => ({ domainConfigurationName })),
  });
  for (const [domainConfigurationName, [domainType, status, lastStatusChangeDate]] of Object.entries(account)) {
    iot
      .on(DescribeDomainConfigurationCommand, { domainConfigurationName })
      .resolves({ domainType, domainConfigurationStatus: status, lastStatusChangeDate });
  }
  iot.on(DeleteDomainConfigurationCommand).resolves({});
});

async function mqttDomains(args: readonly string[], answer?: string) {
  let [out, err] = ['', ''];
  const regions: (string | undefined)[] = [];
  const terminal = {
    print: (text: string) => (out += text),
    printError: (text: string) => (err += text),
    ask: answer === undefined ? undefined : () => Promise.resolve(answer),
  };
  const clientIn = (region: string | undefined) => {
    regions.push(region);
    return new IoTClient({ region: region ?? 'eu-central-1' });
  };
  const exitCode = await run(args, terminal, clientIn, now);
  return { exitCode, out, err, regions };
}

describe('npm run mqtt-domains', () => {
  test('list shows those of every stage, and when each can be deleted; others are not even described', async () => {
    const { exitCode, out, regions } = await mqttDomains(['list', '--region', 'eu-west-1']);
    expect([exitCode, regions]).toEqual([0, ['eu-west-1']]);
    expect(out.trim().split('\n')).toEqual([
      'DroneMissionApi-mqtt  enabled: in use',
      'DroneMissionApi-new-mqtt  disabled: can be deleted',
      'DroneMissionApi-old-mqtt  disabled: can be deleted',
      'DroneMissionApi-old-viewers  disabled: can be deleted from 2026-11-28T10:00:00.000Z',
    ]);
    expect(deleted()).toEqual([]);
    const described = iot.commandCalls(DescribeDomainConfigurationCommand);
    expect(described.map(({ args: [{ input }] }) => input.domainConfigurationName)).not.toContain('Thermostats-mqtt');
  });

  test.each([
    ['after a question', ['delete'], 'y', ['DroneMissionApi-old-mqtt', 'DroneMissionApi-new-mqtt']],
    ['with --yes', ['delete', '--yes'], undefined, ['DroneMissionApi-old-mqtt', 'DroneMissionApi-new-mqtt']],
    ['of one stack', ['delete', '--yes', '--stack', 'DroneMissionApi-old'], undefined, ['DroneMissionApi-old-mqtt']],
    ['of a stack that is in use: nothing', ['delete', '--yes', '--stack', 'DroneMissionApi'], undefined, []],
  ])('delete deletes those that have been disabled for seven days, %s', async (_, args, answer, names) => {
    expect(await mqttDomains(args, answer)).toMatchObject({ exitCode: 0 });
    expect(deleted().sort()).toEqual([...names].sort());
  });

  test.each([
    ['another answer', ['delete'], 'n', 2, 'nothing was deleted'],
    ['nobody to ask', ['delete'], undefined, 2, '--yes'],
    ['no command', [], undefined, 2, 'list or delete'],
    ['an unknown option', ['list', '--stak', 'x'], undefined, 2, '--stack'],
  ])('deletes nothing with %s', async (_, args, answer, exitCode, text) => {
    const done = await mqttDomains(args, answer);
    expect(done.exitCode).toBe(exitCode);
    expect(done.err).toContain(text);
    expect(deleted()).toEqual([]);
  });

  test('names the error of AWS', async () => {
    iot
      .on(DeleteDomainConfigurationCommand)
      .rejects(Object.assign(new Error('disabled for 7 days'), { name: 'InvalidRequestException' }));
    const { exitCode, err } = await mqttDomains(['delete', '--yes']);
    expect([exitCode, err]).toEqual([1, 'mqtt-domains: InvalidRequestException: disabled for 7 days\n']);
  });

  test('has help', async () => {
    expect((await mqttDomains(['--help'])).out).toContain('mqtt-domains -- delete');
  });
});
