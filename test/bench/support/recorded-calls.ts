import http from 'node:http';
import { dynamodb } from '../../../data/store/dynamodb';
import type { Call } from './bare-function';

/** Records the calls that `run` makes, of DynamoDB through the client of `data/` and of others over HTTP; discards its output. */
export async function recordCalls(run: () => Promise<unknown>): Promise<Call[]> {
  const calls: Call[] = [];
  const send = dynamodb.send.bind(dynamodb) as (command: { input: unknown }) => unknown;
  const { request } = http;
  const write = process.stdout.write.bind(process.stdout);
  const recorded = (command: { input: unknown }) => {
    calls.push({ command: command.constructor.name, input: command.input });
    return send(command);
  };
  Object.assign(dynamodb, { send: recorded });
  Object.assign(http, {
    request: (...given: Parameters<typeof request>) => {
      const sent = request(...given);
      const [address, options] = given;
      // The SDK gives no address but options.
      if (typeof address !== 'string') return sent;
      const { method, headers } = options;
      const end = sent.end.bind(sent);
      return Object.assign(sent, {
        end: (body: string) => {
          calls.push({ command: 'fetch', input: [address, { method, headers, body }] });
          return end(body);
        },
      });
    },
  });
  process.stdout.write = () => true;
  try {
    await run();
    return calls;
  } finally {
    Reflect.deleteProperty(dynamodb, 'send');
    Object.assign(http, { request });
    process.stdout.write = write;
  }
}

/** What a process has asked of DynamoDB since the last reading. */
interface Consumption {
  readonly calls: number;
  readonly units: number;
}

/** Makes the client of `data/` request the consumed capacity; `read` returns and resets the sums. */
export function meterConsumption(): { read(): Consumption } {
  let [calls, units] = [0, 0];
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      if (ConsumedCapacity?.CapacityUnits === undefined) throw new Error('the engine does not return ConsumedCapacity');
      calls += 1;
      units += ConsumedCapacity.CapacityUnits;
      return result;
    },
    { step: 'initialize', name: 'meterCalls', override: true },
  );
  return {
    read: () => {
      const consumed = { calls, units };
      [calls, units] = [0, 0];
      return consumed;
    },
  };
}
