/** EventBridge's API: which operation a call is for, and how it is answered. */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import type { AwsApi, AwsCall } from '../service';
import type { Charges } from '../billing/meter';

/** Error of a call, with EventBridge's error code. */
export class EventsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a call needs to be allowed to do; `context` has the values of condition keys. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** An operation of EventBridge's API. */
export interface EventsOperation {
  /** @param input body of the request; undefined when it is not JSON */
  permissions(input: unknown): readonly Permission[];
  /** @throws EventsError */
  run(input: unknown): { readonly answer: object; readonly charges?: Charges };
}

/** Parses the body of a request. @throws EventsError `ValidationException` that names what is wrong */
export function read<T>(shape: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = shape.safeParse(input);
  if (!success) throw new EventsError('ValidationException', z.prettifyError(error));
  return data;
}

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
