import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Tables } from '../foundation/tables';
import type { UserPoolWithKeys } from './user-pool';
import { functionName } from '../rest/invoked-functions';
import { AUTHORIZER, type RestApi } from '../rest/rest-api';

export interface AuthorizerProps {
  readonly api: RestApi;
  readonly identity: UserPoolWithKeys;
  readonly tables: Tables;
  /** Whether X-Ray records traces. */
  readonly traced: boolean;
}

/**
 * Lambda authorizer for access tokens of the user pool. Cognito's own authorizer answers 401 to a valid token without the scope,
 * where the contract says 403. The body of the API says when it is invoked.
 */
export class Authorizer extends Construct {
  constructor(scope: Construct, id: string, { api, identity, tables, traced }: AuthorizerProps) {
    super(scope, id);
    const authorize = new ApiFunction(this, 'Authorize', {
      entry: AUTHORIZER,
      name: functionName(this, AUTHORIZER),
      description: 'Verify an access token and identify its client',
      environment: identity.verification,
      traced,
    }).uses(tables, { partners: ['get'] });
    // API Gateway assigns the id of an authorizer.
    api.invokes(authorize, 'authorizers/*');
  }
}
