import { dynamodb } from '../data/table';
import type { StoreCall } from './bare-function';

/** What `run` asks of DynamoDB through the client of `data/`; what it prints is swallowed. */
export async function recordCalls(run: () => Promise<unknown>): Promise<StoreCall[]> {
  const calls: StoreCall[] = [];
  const send = dynamodb.send.bind(dynamodb) as (command: { input: unknown }) => unknown;
  const write = process.stdout.write.bind(process.stdout);
  const recorded = (command: { input: unknown }) => {
    calls.push({ command: command.constructor.name, input: command.input });
    return send(command);
  };
  Object.assign(dynamodb, { send: recorded });
  process.stdout.write = () => true;
  try {
    await run();
    return calls;
  } finally {
    Reflect.deleteProperty(dynamodb, 'send');
    process.stdout.write = write;
  }
}
