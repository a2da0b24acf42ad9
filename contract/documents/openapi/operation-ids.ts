import { capitalised } from '../../../domain/values/text';
import { endpointTable } from '../../endpoint-table';
import type { EndpointKey } from '../../endpoints';

/** Operation ids of second paths of an operation. */
const secondPaths: Partial<Record<EndpointKey, string>> = {
  'GET /v3/streams/share': 'listStreamShares',
  'GET /v3/streams/share/{shareCode}': 'getStreamShare',
  'DELETE /v3/streams/share/{shareCode}': 'revokeStreamShare',
};

/** The id of the operation of an endpoint or of its first path, from its handler: `createJob`. */
const mainId = (key: EndpointKey) =>
  endpointTable[key].handler.replace(/^.*\//, '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Generated clients name their methods by it, so it never changes. */
export const operationId = (key: EndpointKey): string => secondPaths[key] ?? mainId(key);

/** The endpoint of which this one is a second path. */
export const findFirstPath = (key: EndpointKey): EndpointKey | undefined =>
  secondPaths[key] === undefined
    ? undefined
    : (Object.keys(endpointTable) as EndpointKey[]).find(
        (other) => other !== key && endpointTable[other] === endpointTable[key] && secondPaths[other] === undefined,
      );

/** Name of a schema of an endpoint without a better one: `ListJobsReply`. */
export const schemaName = (key: EndpointKey, part: 'Query' | 'Request' | 'Reply') => capitalised(mainId(key)) + part;
