import type { LocalAddresses } from '../../aws-endpoint/aws-hosts';
import { deploy, ignored } from '../../cloudformation/deploy';
import type { Resource, Service } from '../../service';
import { parseTemplate } from '../../cloudformation/template';

const addresses: LocalAddresses = {
  baseUrl: 'http://127.0.0.1:3000',
  identityUrl: 'https://127.0.0.1:3443',
  endpointUrl: 'http://127.0.0.1:4000',
  mqttUrl: 'mqtts://127.0.0.1:8884',
  videoUrl: 'http://127.0.0.1:4001',
  isWebSocketApi: (domain) => domain.startsWith('sockets.'),
  distributionAt: (domain) => (domain === 'd0123456789abc.cloudfront.net' ? '127.0.0.1:3001' : undefined),
};

function recording(types: readonly string[]): Service & { created: Resource[] } {
  const created: Resource[] = [];
  return {
    types,
    created,
    create: (resource) => {
      created.push(resource);
      return { ref: `${resource.logicalId}-id`, attributes: { Arn: `arn:${resource.logicalId}` } };
    },
  };
}

const assemblyOf = (template: object) => ({ folder: '/', stackName: 'Stack', template: parseTemplate(template) });

describe('Deployment', () => {
  test('names all unsupported types before anything is created', async () => {
    const service = recording(['Known::Type']);
    const template = {
      Resources: { A: { Type: 'Known::Type' }, B: { Type: 'AWS::Foo::Bar' }, C: { Type: 'AWS::Foo::Baz' } },
    };
    await expect(deploy(assemblyOf(template), [service], addresses)).rejects.toThrow(
      'AWS::Foo::Bar (B), AWS::Foo::Baz (C)',
    );
    expect(service.created).toEqual([]);
  });

  test('refuses a name that the service reserves, of an ignored type too', async () => {
    const VisibilityConfig = { MetricName: 'All' };
    const template = { Resources: { Acl: { Type: 'AWS::WAFv2::WebACL', Properties: { VisibilityConfig } } } };
    await expect(deploy(assemblyOf(template), [], addresses)).rejects.toThrow(
      'Acl: AWS::WAFv2::WebACL VisibilityConfig.MetricName "All" is reserved by AWS',
    );
  });

  test('creates resources in order, with the attributes of earlier ones', async () => {
    const service = recording(['T']);
    const template = {
      Resources: {
        Later: { Type: 'T', Properties: { role: { 'Fn::GetAtt': ['Role', 'Arn'] }, name: { Ref: 'Role' } } },
        Role: { Type: 'T', Metadata: { note: 1 } },
      },
      Outputs: { Name: { Value: { 'Fn::Join': ['/', ['x', { Ref: 'Later' }]] } } },
    };
    const outputs = await deploy(assemblyOf(template), [service], addresses);
    expect(service.created.map(({ logicalId }) => logicalId)).toEqual(['Role', 'Later']);
    expect(service.created[0]?.metadata).toEqual({ note: 1 });
    expect(service.created[1]?.properties).toEqual({ role: 'arn:Role', name: 'Role-id' });
    expect(outputs).toEqual({ Name: 'x/Later-id' });
  });

  test('names the resource that refers to an unknown attribute', async () => {
    const template = {
      Resources: { A: { Type: 'T' }, B: { Type: 'T', Properties: { x: { 'Fn::GetAtt': ['A', 'Url'] } } } },
    };
    await expect(deploy(assemblyOf(template), [recording(['T'])], addresses)).rejects.toThrow(
      'B: T A has no attribute Url',
    );
  });

  test('resolves references to ignored resources', async () => {
    const template = {
      Resources: { Topic: { Type: 'AWS::SNS::Topic' } },
      Outputs: { Ref: { Value: { Ref: 'Topic' } }, Arn: { Value: { 'Fn::GetAtt': ['Topic', 'TopicArn'] } } },
    };
    expect(await deploy(assemblyOf(template), [], addresses)).toEqual({
      Ref: 'Topic',
      Arn: 'arn:aws:sns:eu-central-1:000000000000:Topic',
    });
  });

  test.each([
    ['https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Pool', 'https://127.0.0.1:3443/eu-central-1_Pool'],
    [
      'https://my-domain.auth.eu-central-1.amazoncognito.com/oauth2/token',
      'https://127.0.0.1:3443/my-domain/oauth2/token',
    ],
    [
      "media-src 'self' https://*.kinesisvideo.eu-central-1.amazonaws.com blob:",
      "media-src 'self' http://127.0.0.1:* blob:",
    ],
    ['https://b-12ab.kinesisvideo.eu-central-1.amazonaws.com/hls', 'http://127.0.0.1:4001/hls'],
    ['https://a1b2c3.execute-api.eu-central-1.amazonaws.com/live', 'http://127.0.0.1:3000'],
    ['https://a1b2c3.execute-api.eu-central-1.amazonaws.com/live/v3/jobs', 'http://127.0.0.1:3000/v3/jobs'],
    ['mqtts://a1b2c3.iot.eu-central-1.amazonaws.com:8883', 'mqtts://127.0.0.1:8884'],
    ['mqtts://mqtt.example.com:8883', 'mqtts://mqtt.example.com:8883'],
    ['https://example.com/live', 'https://example.com/live'],
  ])('replaces %s by %s', async (address, expected) => {
    const service = recording(['T']);
    const template = {
      Resources: { A: { Type: 'T', Properties: { deep: [{ address }] } } },
      Outputs: { Address: { Value: address } },
    };
    expect(await deploy(assemblyOf(template), [service], addresses)).toEqual({ Address: expected });
    expect(service.created[0]?.properties).toEqual({ deep: [{ address: expected }] });
  });

  test('has a reason for each ignored type', () => {
    for (const [type, reason] of Object.entries(ignored))
      expect(`${type}: ${reason}`).toMatch(/^AWS::\w+::\w+: .{10,}/);
  });
});
