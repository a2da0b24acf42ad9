import { dynamodb } from '../../../data/store/dynamodb';

/** What a process has asked of DynamoDB since the last reading. */
export interface Consumption {
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
