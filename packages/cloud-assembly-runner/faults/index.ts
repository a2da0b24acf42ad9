/**
 * Fault injection for AWS calls made by functions, `npm start -- --faults <file>`. Command lines and seed data are not
 * affected.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import { noFaultSettings, type FaultSettings } from './faults-file';
import type { AwsAnswer, AwsCall } from '../service';

export interface Faults {
  /**
   * Makes a function's call of an AWS API, or injects a fault.
   * @param answer makes the call, or what is left of it
   */
  call(call: AwsCall, answer: (call: AwsCall) => Promise<AwsAnswer>): Promise<AwsAnswer>;
  /** Delivers a stream batch, perhaps late or twice. Returns the last result. */
  batch<Result>(deliver: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** Whether API Gateway throttles this request to a REST API. */
  throttlesRequest(): boolean;
  /** Whether Lambda throttles this invocation. */
  throttlesInvocation(): boolean;
  /** Whether a lifecycle event of AWS IoT is lost. */
  losesLifecycleEvent(): boolean;
  /** Time after which a new MQTT connection is authorised again, in ms; undefined: as its authorizer says. */
  refreshMs(): number | undefined;
  /** Time after which a failed event or message is tried again, in ms. @param delayMs the time in an account */
  retryDelayMs(delayMs: number): number;
  /** Time after which a batch of a stream whose delivery fails is given up, in ms; undefined: as its mapping says. */
  streamRetriesMs(): number | undefined;
  /** Whether user pools answer only with errors. */
  isCognitoDown(): boolean;
  /**
   * Registers an invocation, which may be killed after one of its first calls is done and before it is answered.
   * @param instance session token of the instance, which identifies its calls
   * @returns to be called when the invocation has ended
   */
  invocation(functionName: string, instance: string, kill: () => void): () => void;
}

/** A killed invocation is killed after one of its first four calls. */
const MAX_CALLS_BEFORE_KILL = 4;

/** How long the caller is kept waiting while its instance is killed. */
const KILL_WAIT_MS = 1000;

const writeOperations = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems']);

/** Error by which a service refuses a call that fails or while it is down, from its API reference. */
const outages: Readonly<Record<string, AwsAnswer>> = {
  dynamodb: failure('json', 500, 'InternalServerError', 'Internal server error'),
  iotdata: failure('rest', 500, 'InternalFailureException', 'Internal failure'),
  'execute-api': failure('rest', 500, 'InternalServerErrorException', 'Internal server error'),
  events: failure('json', 500, 'InternalException', 'Internal exception'),
  sqs: failure('json', 500, 'InternalFailure', 'Internal failure'),
  scheduler: failure('rest', 500, 'InternalServerException', 'Internal server error'),
};

const occurs = (share: number | undefined): boolean => share !== undefined && Math.random() < share;

/** @param settings current faults, read at each call */
export function createFaults(settings: () => FaultSettings): Faults {
  const toBeKilled = new Map<string, { callsLeft: number; readonly kill: () => void }>();

  /** The injected error, if any. */
  function errorFor(call: AwsCall): AwsAnswer | undefined {
    const { failing, down } = settingsOf(call);
    if (down === true || occurs(failing)) return outages[call.service];
    if (call.service !== 'dynamodb') return undefined;
    const { dynamodb } = settings();
    if (occurs(dynamodb.throttled))
      return failure('json', 400, 'ProvisionedThroughputExceededException', 'Your request rate is too high');
    return writeOperations.has(operationOf(call)) && occurs(dynamodb.conflicting) ? conflict(call) : undefined;
  }

  /** Makes the call, or what the faults leave of it. */
  function made(call: AwsCall, answer: (call: AwsCall) => Promise<AwsAnswer>): Promise<AwsAnswer> {
    const { failingEntries } = settings().events;
    const isPutEvents = call.service === 'events' && operationOf(call) === 'PutEvents';
    if (!isPutEvents || failingEntries === undefined) return answer(call);
    return withFailedEntries(call, () => occurs(failingEntries), answer);
  }

  /** The settings that all services have. */
  function settingsOf({ service }: AwsCall): {
    readonly failing?: number | undefined;
    readonly slowMs?: number | undefined;
    readonly down?: boolean | undefined;
  } {
    const { dynamodb, iot, connections, events, sqs, scheduler } = settings();
    const byService = { dynamodb, iotdata: iot, 'execute-api': connections, events, sqs, scheduler };
    return Object.hasOwn(byService, service) ? byService[service as keyof typeof byService] : {};
  }

  /** Kills the instance if it was to be killed after this call. */
  async function killAfter({ headers }: AwsCall): Promise<void> {
    const instance = String(headers['x-amz-security-token']);
    const one = toBeKilled.get(instance);
    if (!one || --one.callsLeft > 0) return;
    toBeKilled.delete(instance);
    one.kill();
    await pause(KILL_WAIT_MS);
  }

  return {
    async call(call, answer) {
      const result = errorFor(call) ?? (await made(call, answer));
      const { slowMs = 0 } = settingsOf(call);
      if (slowMs > 0) await pause(slowMs);
      await killAfter(call);
      return result;
    },

    async batch(deliver, signal) {
      const { lateMs = 0 } = settings().streams;
      if (lateMs > 0) await pause(lateMs, undefined, { signal }).catch(() => undefined);
      const result = await deliver();
      return settings().streams.repeated ? deliver() : result;
    },

    throttlesRequest: () => occurs(settings().restApi.throttled),

    throttlesInvocation: () => occurs(settings().functions.throttled),

    losesLifecycleEvent: () => occurs(settings().iot.lifecycleEventsLost),

    refreshMs: () => settings().iot.refreshMs,

    retryDelayMs: (delayMs) => Math.min(delayMs, settings().retries.afterMs ?? delayMs),

    streamRetriesMs: () => settings().retries.streamsForMs,

    isCognitoDown: () => settings().cognito.down === true,

    invocation(functionName, instance, kill) {
      const { killed } = settings().functions;
      if (killed && functionName.startsWith(killed.name) && occurs(killed.share))
        toBeKilled.set(instance, { callsLeft: 1 + Math.floor(Math.random() * MAX_CALLS_BEFORE_KILL), kill });
      return () => toBeKilled.delete(instance);
    },
  };
}

export const noFaults: Faults = createFaults(() => noFaultSettings);

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

/**
 * DynamoDB API reference: TransactionConflictException for single writes, TransactionCanceledException for
 * transactions.
 */
function conflict(call: AwsCall): AwsAnswer {
  const message = 'Transaction is ongoing for the item';
  if (operationOf(call) !== 'TransactWriteItems') return failure('json', 400, 'TransactionConflictException', message);
  const { TransactItems } = JSON.parse(call.body.toString()) as { TransactItems: unknown[] };
  // One reason per item, in order.
  const CancellationReasons = TransactItems.map((_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message: message } : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  const canceled = failure('json', 400, 'TransactionCanceledException', Message);
  return { ...canceled, body: JSON.stringify({ ...JSON.parse(String(canceled.body)), Message, CancellationReasons }) };
}

const request = z.looseObject({ Entries: z.array(z.unknown()) });
const response = z.looseObject({ Entries: z.array(z.unknown()) });

/**
 * Makes a call of PutEvents without some of its entries, which fail in the answer: EventBridge user guide, "Handling
 * failures with PutEvents".
 * @param fails whether the next entry fails
 */
async function withFailedEntries(
  call: AwsCall,
  fails: () => boolean,
  answer: (call: AwsCall) => Promise<AwsAnswer>,
): Promise<AwsAnswer> {
  const input = request.parse(JSON.parse(call.body.toString()));
  const failed = input.Entries.map(fails);
  const made = input.Entries.filter((_, index) => failed[index] === false);
  if (made.length === failed.length) return answer(call);
  const nothing: AwsAnswer = { status: 200, headers: {}, body: '{"Entries":[]}' };
  const body = Buffer.from(JSON.stringify({ ...input, Entries: made }));
  const answered = made.length === 0 ? nothing : await answer({ ...call, body });
  if (answered.status !== 200) return answered;
  const { Entries: results, ...rest } = response.parse(JSON.parse(String(answered.body)));
  const refused = { ErrorCode: 'InternalFailure', ErrorMessage: 'Internal failure' };
  const Entries = failed.map((isFailed) => (isFailed ? refused : results.shift()));
  const FailedEntryCount = Entries.filter((one) => z.object({ ErrorCode: z.string() }).safeParse(one).success).length;
  return { ...answered, body: JSON.stringify({ ...rest, FailedEntryCount, Entries }) };
}
