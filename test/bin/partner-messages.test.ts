import { join } from 'node:path';
import { CreateUsagePlanKeyCommand } from '@aws-sdk/client-api-gateway';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Terminal } from '../../bin/command-line/terminal';
import { commandFlags } from '../../bin/partner/command-line';
import { conditionFailed, store } from '../data/fixtures/store';
import { answerStacks, apiGateway, aws, cloudFormation, cognito, partner, partnerAt } from './fixtures/aws';
import { cirrus, denied, file, folder, onboarded, fleet } from './fixtures/onboarded';
import { thrownMessages } from './fixtures/thrown-messages';
import { tables } from './fixtures/tables';

const commands =
  'known are onboard, list, suspend, resume, contain, rotate-secret, rotate-key, offboard; --help describes them';
const organisationIdForm = 'must be org- and eight characters, as `list` shows them';
const onlyOne = 'needs either --client-id or --organisation-id: `list` shows both';
const scopes =
  'command:create, command:read, command:update, command:control, stream:share, stream:publish, share:read';
/** The words that onboard the organisation of a file. */
const planned = (organisation: object) => ['onboard', '--file', file('plan.json', { organisations: [organisation] })];
const clients = [{ name: 'a', scopes: 'all' }];

/** What is wrong, the words, and the message. None may repeat the word hush, which stands for a secret. */
const invalidCommandLines: [string, readonly string[], string][] = [
  ['no command', [], `missing command; ${commands}`],
  ['a misspelt command', ['offbord'], 'unknown command; did you mean offboard?'],
  ['a command unlike any, which may be a secret', ['hush'], `unknown command; ${commands}`],
  ['help on no command', ['help', 'hush'], `unknown command; ${commands}`],
  ['a misspelt option', ['list', '--jsn'], 'unknown option --jsn; did you mean --json?'],
  ['an option unlike any', ['list', '--wings'], 'unknown option --wings; see --help'],
  [
    'an option of another command',
    ['list', '--client-id', 'hush'],
    'list does not take --client-id; it takes --stack, --local, --json, --help',
  ],
  ['an option without its value', ['list', '--stack'], "Option '--stack <value>' argument missing"],
  ['a value for a switch', ['list', '--local=hush'], "Option '--local' does not take an argument"],
  [
    'a word too many',
    ['onboard', '--organisation', 'Acme', 'hush'],
    'onboard takes options only, such as --organisation; put a value with spaces in quotes',
  ],
  [
    'a secret',
    ['onboard', '--client-secret=hush'],
    "--client-secret is no option, since a secret is kept in the shell's history: see --help",
  ],
  ['no client to suspend', ['suspend'], onlyOne],
  ['two selections', ['suspend', '--client-id', 'a', '--organisation-id', 'org-12345678'], onlyOne],
  ['no client to contain', ['contain'], 'needs --client-id: `list` shows the ids'],
  ['two clients to contain', ['contain', 'hush', 'hush'], 'contain takes one client-id only'],
  ['a client to contain twice', ['contain', 'hush', '--client-id', 'hush'], 'contain takes one client-id only'],
  [
    'a time of another form',
    ['contain', 'a', '--since', 'hush'],
    '--since must be a time such as 2026-11-26T09:30:00Z',
  ],
  ['a time to come', ['contain', 'a', '--since', '9999-01-01'], '--since must not be in the future'],
  ['an odd organisation id', ['resume', '--organisation-id', 'hush'], `--organisation-id ${organisationIdForm}`],
  ['no client to rotate', ['rotate-key'], 'needs --client-id: `list` shows the ids'],
  [
    'no organisation',
    ['onboard', '--client', 'a', '--scopes', 'all'],
    'onboard needs either --organisation NAME, for a new one, or --organisation-id org-…, for a registered one',
  ],
  [
    'no scopes',
    ['onboard', '--organisation', 'A', '--client', 'a'],
    'onboard needs --scopes, or --file for several; --help has an example',
  ],
  [
    'an unknown scope',
    ['onboard', '--organisation', 'A', '--client', 'a', '--scopes', 'hush'],
    `--scopes: must be all or some of ${scopes}, share:manage, resources:read`,
  ],
  [
    'an odd client name',
    ['onboard', '--organisation', 'A', '--client', 'a/b', '--scopes', 'all'],
    '--client: must be 1 to 100 of A-Z a-z 0-9 _ + = , . @ - space',
  ],
  [
    'an organisation id of another form to onboard for',
    ['onboard', '--organisation-id', 'hush', '--client', 'a', '--scopes', 'all'],
    `--organisation-id: ${organisationIdForm}`,
  ],
  ['a file and more', ['onboard', '--file', fleet, '--client', 'a'], '--file and --client exclude each other'],
  [
    'a file that is not there',
    ['onboard', '--file', join(folder, 'none')],
    `${join(folder, 'none')}: can't be read: is the path right?`,
  ],
  [
    'a file that is no JSON',
    ['onboard', '--file', file('odd.json', '{')],
    `${join(folder, 'odd.json')}: is not JSON: docs/operations.md, "Device groups", has the format`,
  ],
  [
    'an unknown field in a file',
    planned({ name: 'A', clients: [{ ...clients[0], secret: 'hush' }] }),
    `${join(folder, 'plan.json')}: organisations[0].clients[0]: Unrecognized key: "secret"`,
  ],
  [
    'offboard where nobody can be asked',
    ['offboard', '--client-id', 'a'],
    'offboard asks before it deletes, and nobody can answer here (no terminal): add --yes',
  ],
];

/** Every message of a run, for the test of completeness at the end. */
const seen: string[] = [];

async function messageOf(words: readonly string[], exitCode: number, ask?: Terminal['ask']): Promise<string> {
  const given = await partnerAt({ ask }, ...words);
  expect(given).toMatchObject({
    exitCode,
    printed: '',
    errorOutput: expect.stringMatching(/^partner: [^\n]+\n$/) as string,
  });
  const message = given.errorOutput.slice('partner: '.length, -1);
  seen.push(message);
  return message;
}

describe('An invalid command line', () => {
  test.each(invalidCommandLines)(
    'with %s is refused in one line, before calling AWS: %j',
    async (_, words, message) => {
      expect(await messageOf(words, 2)).toBe(message);
      expect(message).not.toContain('hush');
      expect(cloudFormation.calls()).toHaveLength(0);
    },
  );

  test('that names an organisation as new and registered is refused with what is needed', async () => {
    const words = planned({ name: 'A', organisationId: 'org-12345678', clients });
    expect(await messageOf(words, 2)).toMatch(
      /: organisations\[0\]: needs either a name, for a new one, or an organisationId, for a registered one$/,
    );
  });
});

const awsError = (name: string, message = 'as AWS says it') => Object.assign(new Error(message), { name });
const unreachable = Object.assign(new AggregateError([], ''), { code: 'ENOTFOUND' });

describe('A connection that fails', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  const here = 'for the stack on this machine add --local';
  const expired = 'the AWS credentials have expired: sign in again (aws sso login), or renew AWS_SESSION_TOKEN';
  const unknown = 'AWS does not know the credentials: check AWS_PROFILE, or AWS_ACCESS_KEY_ID';
  const unsigned =
    'AWS rejects the signature of the credentials: check AWS_SECRET_ACCESS_KEY, and the clock of this machine';
  const failures: [string, Error, string][] = [
    ['no region', new Error('Region is missing'), `no AWS region; ${here}, for one in AWS set AWS_REGION`],
    [
      'no credentials',
      awsError('CredentialsProviderError', 'Could not load credentials'),
      `no AWS credentials (Could not load credentials); ${here}, for one in AWS sign in (aws sso login) or set AWS_PROFILE`,
    ],
    ['expired credentials', awsError('ExpiredToken'), expired],
    ['expired credentials of a role', awsError('ExpiredTokenException'), expired],
    ['an unknown access key', awsError('InvalidClientTokenId'), unknown],
    ['an access key unknown to another service', awsError('UnrecognizedClientException'), unknown],
    ['a wrong secret key', awsError('SignatureDoesNotMatch'), unsigned],
    ['a wrong secret key at another service', awsError('InvalidSignatureException'), unsigned],
    ['throttling', awsError('Throttling'), 'AWS throttles the calls: try again in a minute'],
    ['missing permissions', awsError('AccessDenied', 'no\nmore'), 'AccessDenied: no'],
    ['no network', unreachable, "AWS can't be reached: check the network and AWS_REGION"],
    [
      'another name of the stack',
      awsError('ValidationError', 'Stack with id DroneMissionApi does not exist'),
      'there is no stack DroneMissionApi in eu-central-1: give its name with --stack and its region in AWS_REGION, or --local for the stack on this machine',
    ],
  ];
  test.each(failures)('for %s says so in one line', async (_, error, message) => {
    cloudFormation.on(DescribeStacksCommand).rejects(error);
    expect(await messageOf(['list'], 1)).toBe(message);
  });

  test('for a local stack that was killed names its address and npm start', async () => {
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:4000';
    cloudFormation.on(DescribeStacksCommand).rejects(Object.assign(unreachable, { code: 'ECONNREFUSED' }));
    expect(await messageOf(['list'], 1)).toBe(
      'nothing answers at http://127.0.0.1:4000: is the local stack running? `npm start` starts it',
    );
  });

  test('for no local stack names npm start', async () => {
    process.env['LOCAL_DIR'] = join(folder, 'nowhere');
    expect(await messageOf(['list', '--local'], 1)).toBe(
      `no local stack is running (${join(folder, 'nowhere', 'aws.json')} does not exist): start it with \`npm start\``,
    );
  });

  test('for a file of the local stack that is damaged says how to renew it, without its content', async () => {
    process.env['LOCAL_DIR'] = folder;
    const damaged = file('aws.json', '{"secretAccessKey": "hush');
    expect(await messageOf(['list', '--local'], 1)).toBe(
      `${damaged} is not what \`npm start\` writes: stop the stack and start it again`,
    );
  });

  test('for another stack names what it lacks', async () => {
    answerStacks({ BaseUrl: 'https://api.example.com' });
    expect(await messageOf(['list'], 1)).toMatch(
      /^stack DroneMissionApi has no output ResourceServer, UserPoolId, .*: is it this service, and this version\?$/,
    );
  });
});

describe('A command that fails', () => {
  const aboutClients = Object.entries<readonly string[]>(commandFlags).filter(([, flags]) =>
    flags.includes('client-id'),
  );

  test.each(aboutClients)(
    'for a client that does not exist names the command that lists them: %s',
    async (command, flags) => {
      const { organisationId } = (await onboarded()).first;
      for (const mock of [cognito, apiGateway]) mock.resetHistory();
      for (const id of ['none', organisationId]) {
        const words = [command, '--client-id', id, ...(flags.includes('yes') ? ['--yes'] : [])];
        expect(await messageOf(words, 1)).toBe('there is no client of that id: `npm run partner -- list` shows them');
      }
      expect([...cognito.calls(), ...apiGateway.calls()]).toEqual([]);
    },
  );

  test('for an organisation that does not exist names the command that lists them', async () => {
    expect(await messageOf(['suspend', '--organisation-id', 'org-00000000'], 1)).toBe(
      'that organisation has no clients: `list` shows those that have',
    );
    const words = ['onboard', '--organisation-id', 'org-00000000', '--client', 'a', '--scopes', 'all'];
    expect(await messageOf(words, 1)).toBe('there is no organisation org-00000000: `list` shows them');
    expect(cognito.calls()).toEqual([]);
  });

  test.each<[string, string, (clientId: string) => number | undefined]>([
    ['rotate-secret', 'secret', (clientId) => aws.clients.get(clientId)?.length],
    ['rotate-key', 'API key', () => aws.keys.size],
  ])(
    'for lack of a second %s, or for two of them, names --retire-old and changes nothing',
    async (command, what, held) => {
      const { clientId } = (await onboarded()).first;
      const rotate = [command, '--client-id', clientId];
      expect(await messageOf([...rotate, '--retire-old'], 1)).toBe(
        `${clientId} has one ${what} only: without --retire-old this adds the second`,
      );
      expect(held(clientId)).toBe(1);
      await partner(...rotate);
      expect(await messageOf(rotate, 1)).toBe(
        `${clientId} has two ${what}s already: delete the older one first with --retire-old`,
      );
      expect(held(clientId)).toBe(2);
    },
  );

  test('for another command at the same time says so', async () => {
    const { clientId, organisationId } = (await onboarded()).first;
    store.on(UpdateCommand, { UpdateExpression: 'SET #newApiKeyId = :newApiKeyId' }, false).rejects(conditionFailed());
    expect(await messageOf(['rotate-key', '--client-id', clientId], 1)).toBe(
      `${clientId} was changed by another command: see its keys with \`list\`; everything created so far was rolled back`,
    );
    store.on(ScanCommand).resolves({ Items: [{ ...tables.partners.get(organisationId), status: 'active' }] });
    expect(await messageOf(['suspend', '--client-id', clientId], 1)).toBe(
      `${organisationId} is being changed by another command: try again`,
    );
  });

  test('for a step that AWS refuses says what was rolled back, and what is left', async () => {
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    const reason = 'AccessDeniedException: not authorized to do that';
    expect(await messageOf(cirrus, 1)).toBe(`${reason}; everything created so far was rolled back`);
    cognito.on(DeleteUserPoolClientCommand).rejects(denied);
    expect(await messageOf(cirrus, 1)).toMatch(
      new RegExp(`^${reason}; could not roll back, delete manually: OAuth client client\\d+$`),
    );
  });

  test.each(['', 'n', 'another name'])(
    'for a person who answers "%s" says that nothing was deleted',
    async (answer) => {
      const { clientId } = (await onboarded()).first;
      const ask = () => Promise.resolve(answer);
      expect(await messageOf(['offboard', '--client-id', clientId], 1, ask)).toBe('nothing was deleted');
      expect([aws.clients.size, aws.keys.size]).toEqual([1, 1]);
      expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
    },
  );

  test('for a record of another form names its field, without its content', async () => {
    const { clientId } = (await onboarded()).first;
    tables.partners.set(clientId, { ...tables.partners.get(clientId), status: 'hush' });
    const message = await messageOf(['list'], 1);
    expect(message).toMatch(
      /^a stored record is invalid \(status: .*\): was it written by a newer version\? use that one$/,
    );
    expect(message).not.toContain('hush');
  });
});

test('every message that the source throws is among those above', () => {
  const thrown = ['bin/partner', 'bin/deployment', 'bin/program'].flatMap((each) =>
    thrownMessages(each, ['Failure', 'UsageError']),
  );
  const unseen = thrown.filter((pattern) => !seen.some((message) => pattern.test(message)));
  expect(unseen).toEqual([]);
});
