import { tableVariable, type TableName } from '../../domain/table';
import { clientConfig } from './client-config';
import { documentClient } from './document-client';
import { setting } from './environment';

/** One client per function instance. */
export const dynamodb = documentClient({
  ...clientConfig(),
  // Settings of DynamoDB only that the SDK would look for in files.
  accountIdEndpointMode: 'disabled',
  endpointDiscoveryEnabled: false,
});

/**
 * Deployed name of a table.
 * @throws Error when the function has no access to the table: a defect of `contract/` or `lib/`
 */
export const table = (name: TableName): string => setting(tableVariable(name));
