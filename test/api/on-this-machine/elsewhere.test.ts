import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { send } from '../client';
import { expectLocalFolder, localFolder, nameChannels, readFacts } from '../stack/facts';
import { access, runPartnerCommand, tableNamed } from '../stack/aws-access';

const folder = expectLocalFolder();
const { caFile, ...here } = readFacts();
const aws = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(join(folder, 'aws.json'), 'utf8')));

const onboarded = z.object({ partners: z.array(z.object({ organisationId: z.string() })) });

describe('A stack that only the environment names, like a deployed one', () => {
  const before = { ...process.env };
  beforeAll(() => {
    const { STACK_FILE: _, ...others } = before;
    process.env = {
      ...others,
      BASE_URL: `${here.baseUrl}/`,
      STACK_NAME: aws['stackName'],
      AWS_ENDPOINT_URL: aws['endpointUrl'],
      AWS_REGION: aws['region'],
      AWS_ACCESS_KEY_ID: aws['accessKeyId'],
      AWS_SECRET_ACCESS_KEY: aws['secretAccessKey'],
      // The files of the local stack must not be found.
      LOCAL_DIR: join(folder, 'nowhere'),
    };
  });
  afterAll(() => {
    process.env = before;
  });

  test('has no local folder, and its AWS APIs are those of the environment', () => {
    expect([localFolder(), access()]).toEqual([undefined, {}]);
    expect(expectLocalFolder).toThrow('a stack elsewhere has no folder here');
  });

  test('onboards partners, with the addresses of its channels, and offboards them', async () => {
    const who = ['--organisation', 'elsewhere', '--client', 'one', '--scopes', 'all'];
    const printed = await runPartnerCommand('onboard', ...who);
    nameChannels(printed);
    expect(readFacts()).toEqual(here);
    const organisation = onboarded.parse(JSON.parse(printed)).partners[0]?.organisationId ?? '';
    const gone = await runPartnerCommand('offboard', '--yes', '--organisation-id', organisation);
    expect(JSON.parse(gone)).toMatchObject({ clients: [{ status: 'offboarded' }] });
  });

  test('uses the channels and the certificate authority that the environment names', () => {
    process.env['WS_URL'] = 'wss://elsewhere.example';
    process.env['CA_FILE'] = caFile;
    nameChannels(JSON.stringify(here));
    expect(readFacts()).toEqual({ ...here, wsUrl: 'wss://elsewhere.example', ...(caFile && { caFile }) });
  });

  test('answers requests, and its tables are found', async () => {
    expect((await send('GET', '/v3/jobs')).status).toBe(401);
    expect(await tableNamed('Jobs')).toMatch(/^TablesJobs/);
  });
});
