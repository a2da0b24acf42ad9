import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { InvokeCommand, LambdaClient, type InvokeCommandInput } from '@aws-sdk/client-lambda';
import { createAwsEndpoint, type Credentials } from '../../../local/aws-endpoint';
import type { Lambda } from '../../../local/lambda';
import { createLambdaApi } from '../../../local/lambda/api';
import { parsePolicy } from '../../../local/policy';
import { arnOf, startFunctions, type InlineFunctions } from '../inline-functions';

const greet = `exports.handler = async (event) => { console.log('called with', JSON.stringify(event)); }`;
const broken = `exports.handler = async () => { console.log('called'); throw new Error('boom'); }`;
/** What the functions printed; nothing while there is no file. */
const printedBy = ({ folder }: InlineFunctions) => {
  const file = join(folder, 'functions.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
/** Looks again and again, for ten seconds, whether something has come about. */
async function until(condition: () => boolean): Promise<void> {
  for (let looked = 0; looked < 1000 && !condition(); looked++) await pause(10);
  expect(condition()).toBe(true);
}
const limits = (FunctionName: string, more: object) => ({
  logicalId: `${FunctionName}Limits`,
  type: 'AWS::Lambda::EventInvokeConfig',
  properties: { FunctionName, Qualifier: '$LATEST', ...more },
  metadata: {},
});

describe('The API of Lambda', () => {
  const endpoint = createAwsEndpoint();
  const log: string[] = [];
  const clients: LambdaClient[] = [];
  let functions: InlineFunctions;
  let api: ReturnType<typeof createLambdaApi>;
  const clientOf = (credentials: Credentials) => {
    const client = new LambdaClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials, maxAttempts: 1 });
    clients.push(client);
    return client;
  };
  const invoke = (input: Partial<InvokeCommandInput>, credentials = endpoint.admin) =>
    clientOf(credentials).send(
      new InvokeCommand({ FunctionName: 'greet', InvocationType: 'Event', Payload: Buffer.from('{"a":1}'), ...input }),
    );

  beforeAll(async () => {
    functions = await startFunctions({ greet, broken });
    await functions.lambda.create(limits('broken', { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }));
    api = createLambdaApi({ lambda: functions.lambda, log: (line) => log.push(line) });
    endpoint.add(api);
    await endpoint.start();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    log.length = 0;
  });
  afterAll(async () => {
    await api.stop?.();
    await endpoint.stop();
    await functions.remove();
  });

  it.each([
    ['name', 'greet'],
    ['ARN', arnOf('greet')],
  ])('calls a function by its %s with the event, and does not wait for it', async (_, FunctionName) => {
    const event = JSON.stringify({ by: FunctionName });
    const { StatusCode, Payload } = await invoke({ FunctionName, Payload: Buffer.from(event) });
    expect([StatusCode, Payload?.length ?? 0]).toEqual([202, 0]);
    await until(() => printedBy(functions).includes(`called with ${event}`));
  });

  it('takes an event for a function that fails, which it calls once if an EventInvokeConfig says so', async () => {
    expect(await invoke({ FunctionName: 'broken' })).toMatchObject({ StatusCode: 202 });
    await until(() => log.length > 0);
    expect(log).toEqual([`${arnOf('broken')} was given up: Error`]);
    expect(printedBy(functions).match(/^broken called$/gm)).toHaveLength(1);
  });

  it.each([
    ['a function that there is not', { FunctionName: 'gone' }, 404, 'ResourceNotFoundException'],
    ['an event that is no JSON', { Payload: Buffer.from('{') }, 400, 'InvalidRequestContentException'],
    [
      'an event of more than a megabyte',
      { Payload: Buffer.alloc(1024 * 1024 + 1, '1') },
      413,
      'RequestTooLargeException',
    ],
    ['a call that waits for the answer', { InvocationType: 'RequestResponse' as const }, 501, 'NotImplemented'],
  ])('refuses %s', async (_, input, httpStatusCode, name) => {
    await expect(invoke(input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
  });

  it('is for those whose policies allow it to call that function, and no others', async () => {
    const may = (Resource: string) => () => [
      parsePolicy({ Statement: { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource } }),
    ];
    const [own, other] = [arnOf('greet'), arnOf('broken')].map((arn) => endpoint.register(arn, may(arn)));
    expect(await invoke({}, own)).toMatchObject({ StatusCode: 202 });
    await expect(invoke({}, other)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('refuses an event when too many calls are under way', async () => {
    const stuck: Pick<Lambda, 'invoke' | 'arnOf' | 'has' | 'eventLimitsOf'> = {
      invoke: () => new Promise<never>(() => undefined),
      arnOf,
      has: () => true,
      eventLimitsOf: () => ({}),
    };
    const busy = createLambdaApi({ lambda: stuck, log: (line) => log.push(line) });
    const call = {
      ...{ service: 'lambda', method: 'POST', path: '/2015-03-31/functions/greet/invocations' },
      ...{ headers: { 'x-amz-invocation-type': 'Event' }, body: Buffer.from('{}') },
    };
    const answers = await Promise.all(Array.from({ length: 10_001 }, () => busy.answer(call)));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10_000).fill(202), 429]);
  });
});

describe('An EventInvokeConfig', () => {
  let functions: InlineFunctions;
  beforeEach(async () => {
    functions = await startFunctions({ greet });
  });
  afterEach(() => functions.remove());

  it('says how often and how long a function is called that nobody waits for', async () => {
    await functions.lambda.create(limits('greet', { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 }));
    const said = { Qualifier: '$LATEST', MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 };
    expect(functions.lambda.eventLimitsOf('greet')).toEqual(said);
    expect(functions.lambda.eventLimitsOf(arnOf('greet'))).toEqual(said);
    expect(functions.lambda.eventLimitsOf('other')).toEqual({});
  });

  it.each([
    ['more than two retries', { MaximumRetryAttempts: 3 }],
    ['less than a minute', { MaximumEventAgeInSeconds: 59 }],
    ['another version', { Qualifier: '1' }],
  ])('that asks for %s is refused', (_, more) => {
    expect(() => functions.lambda.create(limits('greet', more))).toThrow();
  });
});
