import { createIot } from '../../local/iot';
import { createAwsCustomResources } from '../../local/aws-custom-resource';
import { createIam } from '../../local/iam';
import { domainConfiguration, place } from './iot-given';

const name = 'Channels-mqtt';
const domainArn = `arn:aws:iot:${place.region}:${place.accountId}:domainconfiguration/${name}/*`;
const everyCall = ['iot:CreateDomainConfiguration', 'iot:UpdateDomainConfiguration', 'iot:DescribeDomainConfiguration'];

/** An IoT Core, and the CDK's function for calls at deployment with a role that allows the actions given. */
function given(actions: readonly string[] = everyCall) {
  const iot = createIot({
    ...place,
    port: 0,
    certificate: { key: '', cert: '' },
    lambda: { invoke: () => Promise.resolve(null), permits: () => true },
    log: () => undefined,
  });
  const iam = createIam();
  const role = (type: string, properties: object) =>
    iam.create({ logicalId: type, type: `AWS::IAM::${type}`, properties: { ...properties }, metadata: {} });
  void role('Role', { RoleName: 'provider' });
  const PolicyDocument = { Statement: [{ Effect: 'Allow', Action: actions, Resource: domainArn }] };
  void role('Policy', { PolicyDocument, Roles: ['provider'] });
  const roleOf = () => 'arn:aws:iam::000000000000:role/provider';
  const { create } = createAwsCustomResources({ apis: [iot.deploymentApi], iam, roleOf });
  const call = (action: string, parameters: object = {}, more: object = {}) =>
    create({
      logicalId: 'Call',
      type: 'Custom::AWS',
      properties: {
        ServiceToken: 'arn:aws:lambda:eu-central-1:000000000000:function:AWS679',
        Create: JSON.stringify({
          ...{ service: 'iot', action, physicalResourceId: { id: name } },
          parameters: { domainConfigurationName: name, ...parameters },
          ...more,
        }),
      },
      metadata: {},
    });
  return { iot, call };
}

describe('A domain configuration that AWS manages', () => {
  it('is created, enabled and described by calls at deployment, with the same domain name at every start', async () => {
    const addressOf = async () => {
      const { call } = given();
      await call('createDomainConfiguration');
      await call('updateDomainConfiguration', { domainConfigurationStatus: 'ENABLED' });
      return (await call('describeDomainConfiguration', {}, { outputPaths: ['domainName'] })).attributes;
    };
    const address = await addressOf();
    expect(address).toEqual({
      domainName: expect.stringMatching(/^[a-z0-9]{21}-ats\.iot\.eu-central-1\.amazonaws\.com$/) as string,
    });
    expect(await addressOf()).toEqual(address);
  });

  it('is refused a second time, unless the call takes that', async () => {
    const { call } = given();
    await call('createDomainConfiguration');
    expect(() => call('createDomainConfiguration')).toThrow(`${name} exists`);
    const ignoreErrorCodesMatching = 'ResourceAlreadyExistsException';
    expect(await call('createDomainConfiguration', {}, { ignoreErrorCodesMatching })).toEqual({
      ref: name,
      attributes: {},
    });
    expect(() =>
      call('describeDomainConfiguration', { domainConfigurationName: 'Other' }, { ignoreErrorCodesMatching }),
    ).toThrow();
  });

  it('serves nobody once it is disabled', async () => {
    const { iot, call } = given();
    await call('createDomainConfiguration');
    await call('updateDomainConfiguration', { domainConfigurationStatus: 'DISABLED' });
    await iot.start?.();
    expect(iot.url).toBeUndefined();
    await iot.stop?.();
  });

  it.each(everyCall)('takes no call that the role does not allow: %s', (missing) => {
    const { call } = given(everyCall.filter((action) => action !== missing));
    const action = missing.replace('iot:C', 'c').replace('iot:U', 'u').replace('iot:D', 'd');
    expect(() => call(action)).toThrow('not authorized to perform');
  });

  it('knows no other call, and nothing that a call does not have', () => {
    const { call } = given([...everyCall, 'iot:DeleteThing']);
    expect(() => call('deleteThing')).toThrow('the call iot:deleteThing is not played');
    expect(() => call('createDomainConfiguration', { domainConfigurationStatus: 'ENABLED' })).toThrow();
  });
});

describe('A domain configuration of the customer', () => {
  it('that does not say that it is enabled serves nobody, as it may be in an account', async () => {
    const { iot } = given();
    await iot.create(domainConfiguration('Domain', undefined, { DomainConfigurationStatus: undefined }));
    await iot.start?.();
    expect(iot.url).toBeUndefined();
    await iot.stop?.();
  });
});
