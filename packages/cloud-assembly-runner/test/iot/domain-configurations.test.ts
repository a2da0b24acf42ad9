import { createIot } from '../../iot';
import { createAwsCustomResources } from '../../cloudformation/aws-custom-resource';
import { createIam } from '../../iam';
import { account, domainConfiguration, resource } from './fixture';

const named = (name: string) => expect.objectContaining({ name }) as Error;

const name = 'Channels-mqtt';
const domainArn = `arn:aws:iot:${account.region}:${account.accountId}:domainconfiguration/${name}/*`;
const everyCall = ['iot:CreateDomainConfiguration', 'iot:UpdateDomainConfiguration', 'iot:DescribeDomainConfiguration'];

/** An IoT Core, and the CDK's AwsCustomResource with a role that allows the given actions. */
function given(actions: readonly string[] = everyCall) {
  const iot = createIot({
    ...account,
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
          service: 'iot',
          action,
          physicalResourceId: { id: name },
          parameters: { domainConfigurationName: name, ...parameters },
          ...more,
        }),
      },
      metadata: {},
    });
  return { iot, call };
}

describe('A domain configuration with an AWS domain name', () => {
  test('is created, enabled and described by custom resources, with the same domain name at every start', async () => {
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

  test('fails when it exists, unless the call ignores that error', async () => {
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

  test('accepts no clients once it is disabled', async () => {
    const { iot, call } = given();
    await call('createDomainConfiguration');
    await call('updateDomainConfiguration', { domainConfigurationStatus: 'DISABLED' });
    await iot.start?.();
    expect(iot.url).toBeUndefined();
    await iot.stop?.();
  });

  test('keeps its authorizer from being deleted, also when it is disabled, until it names it no more', async () => {
    const { iot } = given();
    const api = iot.deploymentApi;
    const domainConfigurationName = name;
    await iot.create(
      resource('Authorizer', 'Tokens', { AuthorizerFunctionArn: 'f', SigningDisabled: true, Status: 'ACTIVE' }),
    );
    const authorizerConfig = { defaultAuthorizerName: 'Tokens' };
    api.call('createDomainConfiguration', { domainConfigurationName, authorizerConfig });
    const authorizerName = 'Tokens';
    const deleted = () => api.call('deleteAuthorizer', { authorizerName });
    expect(deleted).toThrow(named('InvalidRequestException'));
    api.call('updateAuthorizer', { authorizerName, status: 'INACTIVE' });
    api.call('updateDomainConfiguration', { domainConfigurationName, domainConfigurationStatus: 'DISABLED' });
    expect(deleted).toThrow(named('DeleteConflictException'));
    api.call('updateDomainConfiguration', { domainConfigurationName, removeAuthorizerConfig: true });
    expect(deleted).not.toThrow();
    expect(deleted).toThrow(named('ResourceNotFoundException'));
    expect(api.resourceOf({ authorizerName })).toBe(`arn:aws:iot:eu-central-1:${account.accountId}:authorizer/Tokens`);
  });

  test.each(everyCall)('refuses a call that the role does not allow: %s', (missing) => {
    const { call } = given(everyCall.filter((action) => action !== missing));
    const action = missing.replace('iot:C', 'c').replace('iot:U', 'u').replace('iot:D', 'd');
    expect(() => call(action)).toThrow('not authorized to perform');
  });

  test('refuses unknown calls and unknown parameters', () => {
    const { call } = given([...everyCall, 'iot:DeleteThing']);
    expect(() => call('deleteThing')).toThrow('the call iot:deleteThing is not supported');
    expect(() => call('createDomainConfiguration', { domainConfigurationStatus: 'ENABLED' })).toThrow();
  });
});

describe('A domain configuration with a custom domain name', () => {
  test('is disabled without a status', async () => {
    const { iot } = given();
    await iot.create(domainConfiguration('Domain', undefined, { DomainConfigurationStatus: undefined }));
    await iot.start?.();
    expect(iot.url).toBeUndefined();
    await iot.stop?.();
  });
});
