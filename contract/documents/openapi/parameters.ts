import * as z from 'zod/mini';
import type { Endpoint } from '../../terms/endpoint';
import { findField } from '../fields';
import type { Parameter, Reference } from './openapi-types';
import { withReferences } from './enums';
import { querySchema, refer as referToSchema } from './schemas';

/** A UUID as the service checks it. */
const { $schema: _dialect, ...uuid } = z.toJSONSchema(z.uuid());

/** Headers of requests, by the name of their component. */
export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter.',
    required: false,
    schema: uuid,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Change the job only if it still has this version: the `ETag` of a read or a change, with its quotes. Otherwise 412. Without the header, or with `*`, any version is changed.',
    required: false,
    schema: { type: 'string', examples: ['"1"'] },
  },
} as const satisfies Record<string, Parameter>;

const refer = (name: keyof typeof parameters): Reference => ({ $ref: `#/components/parameters/${name}` });

const withDescription = ({ description = '', ...schema }: Parameter['schema']) => ({
  description,
  schema: withReferences(schema, referToSchema),
});

/** The parameters of an endpoint: in its path, in its query, in headers. */
export function describeParameters(path: string, { request, reply, idempotent }: Endpoint): (Parameter | Reference)[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    const { description = '', ...rest } = findField(name, 'Path') ?? {};
    return {
      name,
      in: 'path',
      description,
      required: true,
      schema: { type: 'string', minLength: 1, ...examplesOf(rest) },
    };
  });
  const inQuery = Object.entries(request.query ? querySchema(request.query) : {}).map(([name, schema]): Parameter => ({
    name,
    in: 'query',
    required: false,
    ...withDescription(schema),
  }));
  return [
    ...inPath,
    ...inQuery,
    ...(idempotent ? [refer('IdempotencyKey')] : []),
    ...(request.body && reply.versioned ? [refer('IfMatch')] : []),
  ];
}

const examplesOf = ({ examples }: { readonly examples?: readonly unknown[] }) =>
  examples ? { examples: [...examples] } : {};
