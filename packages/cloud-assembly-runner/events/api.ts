/** EventBridge's API: which operation a call is for, and how it is answered. */
import { failure } from '../aws-endpoint/aws-error';
import type { AwsApi, AwsCall } from '../service';
import { EventsError, type EventsOperation } from './operation';

/** @param operations by name */
export function createEventsApi(operations: Readonly<Record<string, EventsOperation>>): AwsApi {
  const operationIn = (call: AwsCall) =>
    Object.hasOwn(operations, nameIn(call)) ? operations[nameIn(call)] : undefined;
  return {
    signingName: 'events',

    permissions(call) {
      return operationIn(call)?.permissions(bodyOf(call)) ?? [{ action: `events:${nameIn(call)}`, resource: '*' }];
    },

    answer(call) {
      try {
        const operation = operationIn(call);
        if (!operation) {
          throw new EventsError('UnknownOperationException', `${nameIn(call)} is not supported on this machine`);
        }
        const { answer, charges } = operation.run(bodyOf(call));
        return Promise.resolve({
          status: 200,
          headers: { 'content-type': 'application/x-amz-json-1.1' },
          body: JSON.stringify(answer),
          ...(charges && { charges }),
        });
      } catch (error) {
        if (error instanceof EventsError) return Promise.resolve(failure('json', 400, error.code, error.message));
        throw error;
      }
    },
  };
}

function nameIn({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

function bodyOf({ body }: AwsCall): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
