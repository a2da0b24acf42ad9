import { openApi, operations, type PlacedOperation } from '../../contract/documents/openapi-file';
import type { JsonSchema } from '../../../contract/documents/json-schema';
import type { ResourceKind } from './resources';

/** Fields of bodies that name a resource. `deviceId` is not among them: it is refused as invalid beside its group. */
const kinds: Readonly<Record<string, ResourceKind>> = {
  deviceGroupId: 'group',
  missionId: 'mission',
  resourceId: 'device',
  jobId: 'job',
};

interface BodyReference {
  readonly endpoint: string;
  readonly placed: PlacedOperation;
  readonly field: string;
  readonly kind: ResourceKind;
}

/** Names of the fields of an object, or of one of its alternatives. */
function fieldsOf(schema: JsonSchema): string[] {
  const {
    $ref,
    anyOf = [],
    properties = {},
  } = schema as {
    $ref?: string;
    anyOf?: JsonSchema[];
    properties?: object;
  };
  const named = $ref === undefined ? undefined : openApi.components.schemas[$ref.split('/').at(-1) ?? ''];
  return [...(named ? fieldsOf(named) : []), ...anyOf.flatMap(fieldsOf), ...Object.keys(properties)];
}

/** Each field of each body that names a resource. */
export const references: readonly BodyReference[] = operations.flatMap((placed) => {
  const { schema } = placed.operation.requestBody?.content['application/json'] ?? {};
  const fields = schema ? new Set(fieldsOf(schema as JsonSchema)) : [];
  return [...fields].flatMap((field) => {
    const kind = kinds[field];
    return kind ? [{ endpoint: `${placed.method} ${placed.path}`, placed, field, kind }] : [];
  });
});
