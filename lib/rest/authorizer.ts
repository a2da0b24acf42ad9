import { Duration } from 'aws-cdk-lib/core';
import { TokenAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Identity } from './identity';
import type { Tables } from '../tables';

export interface AuthorizerProps {
  readonly identity: Identity;
  readonly tables: Tables;
  /** Whether X-Ray records traces. */
  readonly traced: boolean;
}

/**
 * Lambda authorizer for access tokens of the user pool. Cognito's own authorizer answers 401 to a valid token without the scope,
 * where the contract says 403. Results are cached for five minutes, after which a suspended partner has no access.
 */
export class Authorizer extends Construct {
  readonly authorizer: TokenAuthorizer;

  constructor(scope: Construct, id: string, { identity, tables, traced }: AuthorizerProps) {
    super(scope, id);
    const authorize = new ApiFunction(this, 'Authorize', {
      entry: 'authorizer/authorize',
      description: 'Verify an access token and return what it allows',
      environment: identity.verification,
      traced,
    }).uses(tables, { partners: ['get'] });

    this.authorizer = new TokenAuthorizer(this, 'Token', {
      handler: authorize.lambda,
      // RFC 6750 section 2.1; for anything else API Gateway answers 401 without invoking the function.
      validationRegex: '^[Bb]earer +[-0-9A-Za-z._~+/]+=*$',
      resultsCacheTtl: Duration.minutes(5),
    });
  }
}
