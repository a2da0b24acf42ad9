import { dynamodb } from '../data/store/dynamodb';
import type { Call } from './bare-function';

/** Records the calls that `run` makes, of DynamoDB through the client of `data/` and of others by fetch; discards its output. */
export async function recordCalls(run: () => Promise<unknown>): Promise<Call[]> {
  const calls: Call[] = [];
  const send = dynamodb.send.bind(dynamodb) as (command: { input: unknown }) => unknown;
  const { fetch } = globalThis;
  const write = process.stdout.write.bind(process.stdout);
  const recorded = (command: { input: unknown }) => {
    calls.push({ command: command.constructor.name, input: command.input });
    return send(command);
  };
  Object.assign(dynamodb, { send: recorded });
  globalThis.fetch = (address, request) => {
    // A signal can't be serialised.
    const { signal: _signal, ...rest } = request ?? {};
    calls.push({ command: 'fetch', input: [address, rest] });
    return fetch(address, request);
  };
  process.stdout.write = () => true;
  try {
    await run();
    return calls;
  } finally {
    Reflect.deleteProperty(dynamodb, 'send');
    globalThis.fetch = fetch;
    process.stdout.write = write;
  }
}
