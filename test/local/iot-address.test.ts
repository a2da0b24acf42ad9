import { createIot } from '../../local/iot';
import { place } from './iot-given';

const iot = createIot({
  ...place,
  port: 0,
  certificate: { key: '', cert: '' },
  lambda: { invoke: () => Promise.resolve(null), permits: () => true },
  log: () => undefined,
});
const ask = (call: object) =>
  iot.create({
    logicalId: 'Asked',
    type: 'Custom::MqttAddress',
    properties: { ServiceToken: 'arn', Create: JSON.stringify(call), InstallLatestAwsSdk: false },
    metadata: {},
  });
const call = {
  service: 'iot',
  action: 'describeDomainConfiguration',
  parameters: { domainConfigurationName: 'Channels' },
  physicalResourceId: { id: 'Channels' },
};

describe('The address of a domain configuration', () => {
  it('is one of AWS IoT, the same at every start', async () => {
    const given = await ask(call);
    expect(given.attributes?.['domainName']).toMatch(/^[a-z0-9]{14}\.iot\.eu-central-1\.amazonaws\.com$/);
    expect(await ask(call)).toEqual(given);
  });

  it('is all that the CDK’s function for calls at deployment is played for', () => {
    expect(() => ask({ ...call, action: 'deleteThing' })).toThrow(/Custom::MqttAddress Asked can't be played/);
  });
});
