import { CreateUsagePlanKeyCommand, DeleteApiKeyCommand, NotFoundException } from '@aws-sdk/client-api-gateway';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopes } from '../../contract/access';
import { conditionFailed, store } from '../data/fixtures/store';
import { answerStacks, apiGateway, aws, cloudFormation, cognito, partner } from './fixtures/aws';
import { put, tables } from './fixtures/tables';

const told = { message: 'as AWS says it', $metadata: {} };
const denied = Object.assign(new Error('not authorized to do that'), { name: 'AccessDeniedException' });

const folder = mkdtempSync(join(tmpdir(), 'partner-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Path of a file with that content. */
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const dunes = { name: 'Dunes', devices: [{ name: 'Gull 1', stream: true }, { name: 'Gull 2' }] };
const fleet = file('fleet.json', { deviceGroups: [dunes] });
const cirrus = [
  'onboard',
  '--organisation',
  'Cirrus Maps',
  '--client',
  'cirrus',
  '--scopes',
  'command:read,share:read',
];

interface Onboarded {
  organisationId: string;
  clientId: string;
  deviceGroups: { deviceGroupId: string; devices: { deviceId: string; streamId?: string }[] }[];
}

async function onboarded(...words: readonly string[]) {
  const { printed, complaint } = await partner(...(words.length > 0 ? words : cirrus), '--json');
  if (complaint) throw new Error(complaint);
  const [first, ...others] = (JSON.parse(printed) as { partners: Onboarded[] }).partners;
  if (!first) throw new Error('nobody was onboarded');
  return { first, others };
}

describe('onboard', () => {
  test('prints all that the partner needs.', async () => {
    const { printed, exitCode } = await partner(...cirrus, '--fleet', fleet, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      baseUrl: 'https://api.example.com',
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

  test('prints the same for people.', async () => {
    const { printed } = await partner(...cirrus, '--fleet', fleet);
    for (const part of ['secret-of-client', 'value-of-key', 'https://api.example.com', 'Dunes', 'Gull 2', 'org-'])
      expect(printed).toContain(part);
  });

  test('makes an OAuth client that gets tokens of an hour for itself, with its scopes and nothing else.', async () => {
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

  test('puts the API key under the usage plan.', async () => {
    await onboarded();
    expect([...aws.keys.values()]).toEqual([['plan-1']]);
  });

  test('keeps a record of the partner, without its secret and the value of its key.', async () => {
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

  test('registers the fleet, offline, in the order of the file.', async () => {
    await onboarded(...cirrus, '--fleet', fleet);
    const kept = [...tables.fleet.values()].sort((one, other) => String(one['id']).localeCompare(String(other['id'])));
    expect(kept.map(({ kind, name, status }) => ({ kind, name, status }))).toEqual([
      { kind: 'device', name: 'Gull 1', status: 'offline' },
      { kind: 'device', name: 'Gull 2', status: 'offline' },
      { kind: 'group', name: 'Dunes', status: undefined },
      { kind: 'stream', name: undefined, status: undefined },
    ]);
  });

  test('takes in a further client of an organisation, which is told of the fleet that is there.', async () => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    const words = ['onboard', '--organisation-id', first.organisationId, '--client', 'second', '--scopes', 'all'];
    const second = await onboarded(...words);
    expect(second.first).toMatchObject({
      organisationId: first.organisationId,
      organisation: 'Cirrus Maps',
      scopes,
      deviceGroups: first.deviceGroups,
    });
  });

  test('takes in all of a file, in its order.', async () => {
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

  test('takes another tag when one is taken.', async () => {
    store.on(PutCommand).rejectsOnce(conditionFailed()).callsFake(put);
    const { first } = await onboarded();
    expect(tables.partners.has(first.organisationId)).toBe(true);
  });

  test('refuses an organisation that is not there, and makes nothing.', async () => {
    const words = ['onboard', '--organisation-id', 'org-00000000', '--client', 'a', '--scopes', 'all'];
    const { exitCode, complaint } = await partner(...words);
    expect({ exitCode, complaint }).toEqual({
      exitCode: 1,
      complaint: 'partner: there is no organisation org-00000000\n',
    });
    expect(cognito.calls()).toHaveLength(0);
  });

  const steps: [string, () => unknown][] = [
    ['Cognito refuses the client', () => cognito.on(CreateUserPoolClientCommand).rejects(denied)],
    ['API Gateway refuses the usage plan', () => apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied)],
    ['the record is refused', () => store.on(PutCommand, { Item: { name: 'cirrus' } }, false).rejects(denied)],
  ];
  test.each(steps)('takes back everything when %s.', async (_, fail) => {
    fail();
    const { exitCode, printed, complaint } = await partner(...cirrus, '--fleet', fleet);
    expect({ exitCode, printed, complaint }).toEqual({
      exitCode: 1,
      printed: '',
      complaint:
        'partner: AccessDeniedException: not authorized to do that; everything made so far has been taken back\n',
    });
    expect([aws.clients, aws.keys, tables.partners, tables.fleet].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });

  test('takes in all of a file or nobody.', async () => {
    store.on(PutCommand, { Item: { name: 'late' } }, false).callsFake(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw denied;
    });
    const clients = ['early', 'late'].map((name) => ({ name, scopes: 'all' }));
    const words = ['onboard', '--file', file('two.json', { organisations: [{ name: 'One', clients }] })];
    expect(await partner(...words)).toMatchObject({ exitCode: 1, printed: '' });
    expect([aws.clients, aws.keys, tables.partners].map(({ size }) => size)).toEqual([0, 0, 0]);
  });

  test('takes back what was still being made when something else failed.', async () => {
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    cognito.on(CreateUserPoolClientCommand).callsFake(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      aws.clients.set('late', []);
      return { UserPoolClient: { ClientId: 'late', ClientSecret: 'secret-of-late' } };
    });
    expect(await partner(...cirrus)).toMatchObject({ exitCode: 1 });
    expect(aws.clients.size).toBe(0);
  });

  test('names what is left when taking it back fails too.', async () => {
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    cognito.on(DeleteUserPoolClientCommand).rejects(denied);
    const { complaint } = await partner(...cirrus);
    expect(complaint).toMatch(/could not take back, delete by hand: OAuth client client\d+\n$/);
  });
});

describe('list', () => {
  test('lists organisations with their clients, also those that have none.', async () => {
    const { first } = await onboarded();
    await partner('offboard', '--client-id', first.clientId);
    const { first: other } = await onboarded('onboard', '--organisation', 'Delta', '--client', 'd', '--scopes', 'all');
    const { printed } = await partner('list', '--json');
    expect(JSON.parse(printed)).toMatchObject({
      organisations: [
        { organisationId: first.organisationId, name: 'Cirrus Maps', clients: [] },
        { organisationId: other.organisationId, clients: [{ clientId: other.clientId, name: 'd', status: 'active' }] },
      ],
    });
  });

  test('says that there are no partners.', async () => {
    expect(await partner('list')).toMatchObject({ exitCode: 0, printed: 'no partners yet\n' });
  });
});

describe('suspend and resume', () => {
  test('change the status of a client.', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('suspend', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    await partner('resume', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('change that of all clients of an organisation, and of no other.', async () => {
    const { first } = await onboarded();
    const { first: other } = await onboarded();
    const { printed } = await partner('suspend', '--organisation-id', first.organisationId, '--json');
    expect(JSON.parse(printed)).toEqual({ clients: [{ clientId: first.clientId, status: 'suspended' }] });
    expect(tables.partners.get(other.clientId)).toMatchObject({ status: 'active' });
  });

  test('know a client from an organisation.', async () => {
    const { organisationId } = (await onboarded()).first;
    expect(await partner('suspend', '--client-id', organisationId)).toMatchObject({
      exitCode: 1,
      complaint: `partner: there is no client ${organisationId}\n`,
    });
  });
});

describe('rotate-secret', () => {
  test('adds a secret beside the first, then ends the older one.', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('rotate-secret', '--client-id', clientId, '--json');
    expect(JSON.parse(printed)).toEqual({ clientId, clientSecret: 'second-secret' });
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--1`, `${clientId}--2`]);
    await partner('rotate-secret', '--client-id', clientId, '--retire-old');
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--2`]);
  });

  test('never makes a third.', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('rotate-secret', '--client-id', clientId);
    const { exitCode, complaint } = await partner('rotate-secret', '--client-id', clientId);
    expect({ exitCode, complaint }).toMatchObject({
      exitCode: 1,
      complaint: expect.stringMatching(/--retire-old/) as string,
    });
    expect(aws.clients.get(clientId)).toHaveLength(2);
  });

  test('never ends the only one.', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await partner('rotate-secret', '--client-id', clientId, '--retire-old')).toMatchObject({ exitCode: 1 });
    expect(aws.clients.get(clientId)).toHaveLength(1);
  });
});

describe('rotate-key', () => {
  test('puts a new API key in the place of the old one.', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('rotate-key', '--client-id', clientId, '--json');
    const [id = '', ...others] = [...aws.keys.keys()];
    expect(others).toEqual([]);
    expect(JSON.parse(printed)).toEqual({ clientId, apiKey: `value-of-${id}` });
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: id });
  });

  test('leaves the old key when the new one can not be had.', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    expect(await partner('rotate-key', '--client-id', clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect([...aws.keys.keys()]).toEqual(keys);
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: keys[0] });
  });

  test('leaves the key that somebody else gave the client meanwhile.', async () => {
    const { clientId } = (await onboarded()).first;
    apiGateway.on(CreateUsagePlanKeyCommand).callsFake(() => {
      tables.partners.set(clientId, { ...tables.partners.get(clientId), apiKeyId: 'theirs' });
      return {};
    });
    const keys = [...aws.keys.keys()];
    expect(await partner('rotate-key', '--client-id', clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: 'theirs' });
    expect([...aws.keys.keys()]).toEqual(keys);
  });

  test('shows the new key even when the old one can not be deleted.', async () => {
    const { clientId } = (await onboarded()).first;
    const [old = ''] = [...aws.keys.keys()];
    apiGateway.on(DeleteApiKeyCommand).rejects(denied);
    const { exitCode, printed } = await partner('rotate-key', '--client-id', clientId);
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringMatching(/value-of-key/) as string });
    expect(printed).toContain(`delete ${old} by hand`);
  });
});

describe('offboard', () => {
  test('deletes the client, its API key and its record, and leaves the organisation with its fleet.', async () => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    expect(await partner('offboard', '--client-id', first.clientId)).toMatchObject({ exitCode: 0 });
    expect([aws.clients.size, aws.keys.size]).toEqual([0, 0]);
    expect([...tables.partners.keys()]).toEqual([first.organisationId]);
    expect(tables.fleet.size).toBe(4);
  });

  test('shuts the client out even when it fails half way, and can be repeated.', async () => {
    const { clientId } = (await onboarded()).first;
    cognito.on(DeleteUserPoolClientCommand).rejectsOnce(denied);
    expect(await partner('offboard', '--client-id', clientId)).toMatchObject({ exitCode: 1 });
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    apiGateway.on(DeleteApiKeyCommand).rejects(new NotFoundException(told));
    cognito.on(DeleteUserPoolClientCommand).rejects(new ResourceNotFoundException(told));
    expect(await partner('offboard', '--client-id', clientId)).toMatchObject({ exitCode: 0 });
    expect(tables.partners.has(clientId)).toBe(false);
  });
});

describe('What makes no sense is one line and exit code 2, before AWS is asked:', () => {
  const of = (organisation: unknown) => file('plan.json', { organisations: [organisation] });
  const senseless: [string, () => string[], RegExp][] = [
    ['no command', () => [], /which command\? One of onboard, list/],
    ['an unknown command', () => ['fly'], /unknown command/],
    ['an unknown flag', () => ['list', '--wings'], /Unknown option '--wings'/],
    ['a flag of another command', () => ['list', '--client-id', 'a'], /list does not take --client-id/],
    ['a flag without its value', () => ['list', '--stack'], /argument missing/],
    ['a word too many', () => ['list', 'all'], /takes flags only/],
    ['a secret', () => ['onboard', '--client-secret=hush'], /Unknown option '--client-secret'\n/],
    ['a secret as a command', () => ['hush'], /unknown command; known are/],
    ['no client to suspend', () => ['suspend'], /either --client-id or --organisation-id/],
    [
      'two selections',
      () => ['suspend', '--client-id', 'a', '--organisation-id', 'org-12345678'],
      /either --client-id/,
    ],
    ['an odd organisation', () => ['offboard', '--organisation-id', 'org-1'], /must read org- and eight/],
    ['no client to rotate', () => ['rotate-key'], /say which: --client-id/],
    ['no organisation', () => ['onboard', '--client', 'a', '--scopes', 'all'], /either --organisation,/],
    ['no scopes', () => ['onboard', '--organisation', 'A', '--client', 'a'], /needs --scopes/],
    [
      'an unknown scope',
      () => [...cirrus.slice(0, -1), 'command:fly'],
      /--scopes: must be all or some of command:create/,
    ],
    [
      'an odd name',
      () => ['onboard', '--organisation', 'A', '--client', 'a/b', '--scopes', 'all'],
      /--client: must be/,
    ],
    ['a file and more', () => ['onboard', '--file', fleet, '--client', 'a'], /leave out --client/],
    ['a file that is not there', () => ['onboard', '--file', join(folder, 'none')], /can't be read/],
    ['a file that is no JSON', () => ['onboard', '--file', file('odd.json', '{')], /is not JSON/],
    ['a fleet of another shape', () => [...cirrus, '--fleet', file('odd.json', {})], /odd\.json: deviceGroups: /],
    [
      'an unknown field in a file',
      () => ['onboard', '--file', of({ name: 'A', clients: [{ name: 'a', scopes: 'all', secret: 'hush' }] })],
      /plan\.json: organisations\[0\]\.clients\[0\]: Unrecognized key: "secret"/,
    ],
    [
      'an organisation that is new and in already',
      () => [
        'onboard',
        '--file',
        of({ name: 'A', organisationId: 'org-12345678', clients: [{ name: 'a', scopes: 'all' }] }),
      ],
      /needs either a name/,
    ],
  ];
  test.each(senseless)('%s.', async (_, words, complaint) => {
    const given = await partner(...words());
    expect(given).toMatchObject({ exitCode: 2, printed: '' });
    expect(given.complaint).toMatch(complaint);
    expect(given.complaint).toMatch(/^partner: [^\n]+\n$/);
    expect(given.complaint).not.toContain('hush');
    expect(cloudFormation.calls()).toHaveLength(0);
  });
});

describe('The deployment', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  const stackName = () => cloudFormation.commandCalls(DescribeStacksCommand)[0]?.args[0].input.StackName;

  test('is DroneMissionApi unless STACK_NAME or --stack says otherwise.', async () => {
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

  test('is the stack that runs here with --local, whatever profile is set.', async () => {
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

  test('is missed when no stack runs here.', async () => {
    process.env['LOCAL_DIR'] = join(folder, 'nowhere');
    const { exitCode, complaint } = await partner('list', '--local');
    expect({ exitCode, complaint }).toEqual({ exitCode: 1, complaint: expect.stringMatching(/npm start/) as string });
  });

  test('is missed when nothing answers at its endpoint.', async () => {
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:4000';
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    cloudFormation.on(DescribeStacksCommand).rejects(refused);
    expect((await partner('list')).complaint).toBe(
      'partner: nothing answers at http://127.0.0.1:4000: is the local stack running?\n',
    );
  });

  test('is refused when it lacks an output.', async () => {
    answerStacks({ BaseUrl: 'https://api.example.com' });
    const { exitCode, complaint } = await partner('list', '--stack', 'Other');
    expect(exitCode).toBe(1);
    expect(complaint).toMatch(/^partner: stack Other has no output ResourceServer, UserPoolId,[^\n]+\n$/);
  });

  test('answers an error of AWS with one line.', async () => {
    cloudFormation.on(DescribeStacksCommand).rejects(Object.assign(new Error('no\nmore'), { name: 'ValidationError' }));
    expect(await partner('list')).toEqual({ exitCode: 1, printed: '', complaint: 'partner: ValidationError: no\n' });
  });
});

test('Help names every command.', async () => {
  const { exitCode, printed } = await partner('help');
  expect(exitCode).toBe(0);
  for (const command of ['onboard', 'list', 'suspend', 'resume', 'rotate-secret', 'rotate-key', 'offboard'])
    expect(printed).toContain(`\n  ${command} `);
});
