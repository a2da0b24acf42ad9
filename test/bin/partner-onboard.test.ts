import { CreateUsagePlanKeyCommand } from '@aws-sdk/client-api-gateway';
import { CreateUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { scopes, scopesInAll } from '../../contract/terms/scopes';
import { outboundEvents } from '../../domain/platform/outbound-events';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { conditionFailed, store } from '../data/fixtures/store';
import { apiGateway, aws, cognito, eventBridge, partner, told } from './fixtures/aws';
import { cirrus, denied, dunes, file, fleet, onboarded } from './fixtures/onboarded';
import { put, tables } from './fixtures/tables';

describe('onboard', () => {
  test('prints all that the partner needs', async () => {
    const { printed, exitCode } = await partner(...cirrus, '--fleet', fleet, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      baseUrl: 'https://api.example.com',
      tokenUrl: 'https://api.example.com/v3/auth/token',
      wsUrl: 'wss://channels.example.com',
      mqttUrl: 'mqtts://mqtt.example.com:8883',
      shareBaseUrl: 'https://share.example.com',
      resourceServer: 'https://api.example.com/live',
      partners: [
        {
          organisationId: expect.stringMatching(/^org-[0-9a-z]{8}$/) as string,
          organisation: 'Cirrus Maps',
          name: 'cirrus',
          clientId: expect.stringMatching(/^client/) as string,
          clientSecret: expect.stringMatching(/^secret-of-client/) as string,
          apiKey: expect.stringMatching(/^value-of-key/) as string,
          scopes: ['command:read', 'share:read'],
          deviceGroups: [
            {
              deviceGroupId: expect.stringMatching(/^group-/) as string,
              name: 'Dunes',
              devices: [
                {
                  deviceId: expect.stringMatching(/^device-/) as string,
                  name: 'Gull 1',
                  streamId: expect.stringMatching(/^stream-/) as string,
                },
                { deviceId: expect.stringMatching(/^device-/) as string, name: 'Gull 2' },
              ],
            },
          ],
        },
      ],
    });
  });

  test('tells the drone platform of the organisation and its new groups, in events that match their schemas', async () => {
    await partner(...cirrus, '--fleet', fleet);
    const [[changed, organisation] = [], [onboardedGroup, group] = []] = told();
    expect([changed, onboardedGroup]).toEqual(['organisation.changed', 'device-group.onboarded']);
    expect(outboundEvents['organisation.changed'].parse(organisation)).toMatchObject({
      name: 'Cirrus Maps',
      status: 'active',
    });
    expect(outboundEvents['device-group.onboarded'].parse(group)).toMatchObject({
      name: 'Dunes',
      devices: [{ name: 'Gull 1', stream: expect.stringMatching(/^stream-/) as string }, { name: 'Gull 2' }],
    });
  });

  test('warns when the drone platform can not be told, and onboards all the same', async () => {
    eventBridge.rejects(new Error('no bus'));
    const { exitCode, printed, errorOutput } = await partner(...cirrus);
    expect(exitCode).toBe(0);
    expect(printed).toContain('client secret');
    expect(errorOutput).toMatch(/the drone platform was not told of org-[0-9a-z]{8}: no bus/);
  });

  test('prints the same as text', async () => {
    const { printed } = await partner(...cirrus, '--fleet', fleet);
    const secrets = ['secret-of-client', 'value-of-key'];
    const addresses = [
      'https://api.example.com/v3/auth/token',
      'wss://channels.example.com',
      'mqtts://mqtt.example.com:8883',
      'https://share.example.com',
    ];
    for (const part of [...secrets, ...addresses, 'Dunes', 'Gull 2', 'org-']) expect(printed).toContain(part);
  });

  test('creates an OAuth client for client credentials only, with its scopes and tokens of an hour', async () => {
    const { first } = await onboarded();
    expect(cognito.commandCalls(CreateUserPoolClientCommand).map(({ args: [{ input }] }) => input)).toEqual([
      {
        UserPoolId: 'eu-west-1_pool',
        ClientName: `${first.organisationId} cirrus`,
        GenerateSecret: true,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: ['https://api.example.com/live/command:read', 'https://api.example.com/live/share:read'],
        AccessTokenValidity: 60,
        TokenValidityUnits: { AccessToken: 'minutes' },
        PreventUserExistenceErrors: 'ENABLED',
      },
    ]);
  });

  test('adds the API key to the usage plan', async () => {
    await onboarded();
    expect([...aws.keys.values()]).toEqual([['plan-1']]);
  });

  test('stores a record of the partner, without its secret and API key value', async () => {
    const { first } = await onboarded();
    expect(tables.partners.get(first.clientId)).toMatchObject({
      organisation: first.organisationId.slice(4),
      name: 'cirrus',
      apiKeyId: [...aws.keys.keys()][0],
      scopes: ['command:read', 'share:read'],
      status: 'active',
    });
    expect(JSON.stringify([...tables.partners.values()])).not.toMatch(/secret-of|value-of/);
  });

  test('registers the fleet, offline, in the order of the file', async () => {
    await onboarded(...cirrus, '--fleet', fleet);
    const kept = [...tables.fleet.values()].sort((one, other) => String(one['id']).localeCompare(String(other['id'])));
    expect(kept.map(({ kind, name, status }) => ({ kind, name, status }))).toEqual([
      { kind: 'device', name: 'Gull 1', status: 'offline' },
      { kind: 'device', name: 'Gull 2', status: 'offline' },
      { kind: 'group', name: 'Dunes', status: undefined },
      { kind: 'stream', name: undefined, status: undefined },
    ]);
  });

  test('onboards another client of an organisation, with its registered fleet', async () => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    const words = ['onboard', '--organisation-id', first.organisationId, '--client', 'second', '--scopes', 'all'];
    const second = await onboarded(...words);
    expect(second.first).toMatchObject({
      organisationId: first.organisationId,
      organisation: 'Cirrus Maps',
      scopes: scopesInAll,
      deviceGroups: first.deviceGroups,
    });
    expect(scopesInAll).not.toContain('command:control');
  });

  test.each(['all,command:control', 'command:control, all'])('grants with --scopes %s every scope', async (granted) => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    const words = ['onboard', '--organisation-id', first.organisationId, '--client', 'second', '--scopes', granted];
    expect((await onboarded(...words)).first).toMatchObject({ scopes });
  });

  test('onboards all clients of a file, in its order', async () => {
    const clients = ['a', 'b', 'c'].map((name) => ({ name, scopes: 'all' }));
    const path = file('many.json', {
      organisations: [
        { name: 'One', deviceGroups: [dunes], clients },
        { name: 'Two', clients: [{ name: 'd', scopes: ['command:read'] }] },
      ],
    });
    const { first, others } = await onboarded('onboard', '--file', path);
    expect([first, ...others]).toMatchObject([
      { organisation: 'One', name: 'a', deviceGroups: first.deviceGroups },
      { organisation: 'One', name: 'b', deviceGroups: first.deviceGroups },
      { organisation: 'One', name: 'c', deviceGroups: first.deviceGroups },
      { organisation: 'Two', name: 'd', deviceGroups: [], scopes: ['command:read'] },
    ]);
    expect(others[2]?.organisationId).not.toBe(first.organisationId);
  });

  test('says how to get device groups when there are none', async () => {
    const { first } = await onboarded();
    const { printed } = await partner(...cirrus);
    expect(printed).toMatch(/no device groups yet: .*--fleet FILE/);
    const words = ['--organisation-id', first.organisationId, '--client', 'b', '--scopes', 'all', '--fleet', fleet];
    expect((await onboarded('onboard', ...words)).first.deviceGroups).toMatchObject([{ name: 'Dunes' }]);
  });

  test('generates another tag when one is taken', async () => {
    store.on(PutCommand).rejectsOnce(conditionFailed()).callsFake(put);
    const { first } = await onboarded();
    expect(tables.partners.has(first.organisationId)).toBe(true);
  });

  const steps: [string, () => unknown][] = [
    ['Cognito refuses the client', () => cognito.on(CreateUserPoolClientCommand).rejects(denied)],
    ['API Gateway refuses the usage plan', () => apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied)],
    ['the record is refused', () => store.on(PutCommand, { Item: { name: 'cirrus' } }, false).rejects(denied)],
  ];
  test.each(steps)('rolls everything back when %s', async (_, fail) => {
    fail();
    const { exitCode, printed, errorOutput } = await partner(...cirrus, '--fleet', fleet);
    expect({ exitCode, printed, errorOutput }).toEqual({
      exitCode: 1,
      printed: '',
      errorOutput:
        'partner: AccessDeniedException: not authorized to do that; everything created so far was rolled back\n',
    });
    expect([aws.clients, aws.keys, tables.partners, tables.fleet].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });

  test('onboards all clients of a file or none', async () => {
    store.on(PutCommand, { Item: { name: 'late' } }, false).callsFake(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw denied;
    });
    const clients = ['early', 'late'].map((name) => ({ name, scopes: 'all' }));
    const words = ['onboard', '--file', file('two.json', { organisations: [{ name: 'One', clients }] })];
    expect(await partner(...words)).toMatchObject({ exitCode: 1, printed: '' });
    expect([aws.clients, aws.keys, tables.partners].map(({ size }) => size)).toEqual([0, 0, 0]);
  });

  test('rolls back a creation that was still in progress when another failed', async () => {
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    cognito.on(CreateUserPoolClientCommand).callsFake(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      aws.clients.set('late', []);
      return { UserPoolClient: { ClientId: 'late', ClientSecret: 'secret-of-late' } };
    });
    expect(await partner(...cirrus)).toMatchObject({ exitCode: 1 });
    expect(aws.clients.size).toBe(0);
  });

  test('warns of an organisation of the same name, and creates another', async () => {
    const { first } = await onboarded();
    const { exitCode, printed, errorOutput } = await partner(...cirrus, '--json');
    expect(exitCode).toBe(0);
    const [another] = (JSON.parse(printed) as { partners: { organisationId: string }[] }).partners;
    expect(another?.organisationId).not.toBe(first.organisationId);
    expect(errorOutput).toBe(
      `partner: warning: there is an organisation Cirrus Maps already, ${first.organisationId}; this creates another. To add a client to it instead: --organisation-id ${first.organisationId}\n`,
    );
  });

  test('warns of the same name in a file in the words of files, and of several organisations once', async () => {
    const { first } = await onboarded();
    await onboarded();
    const clients = [{ name: 'a', scopes: 'all' }];
    const plan = file('same.json', { organisations: [{ name: 'cirrus maps', clients }] });
    const { errorOutput } = await partner('onboard', '--file', plan);
    expect(errorOutput).toMatch(/^partner: warning: .*, and 1 more; .*: "organisationId": "org-\w{8}"\n$/);
    expect(errorOutput).toContain(first.organisationId);
  });

  test('warns of nothing when the organisation is named by its id', async () => {
    const { first } = await onboarded();
    const words = ['onboard', '--organisation-id', first.organisationId, '--client', 'b', '--scopes', 'all'];
    expect(await partner(...words)).toMatchObject({ exitCode: 0, errorOutput: '' });
  });
});
