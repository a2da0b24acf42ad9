import { Duration } from 'aws-cdk-lib/core';
import { TokenAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Identity } from './identity';
import type { Tables } from '../tables';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface AuthorizerProps {
  readonly identity: Identity;
  readonly tables: Tables;
}

/**
 * Lets in who has a token of ours. Cognito's own authorizer answers 401 to a valid token without the scope, where the
 * contract says 403. What it finds is kept for five minutes, the time after which a suspended partner is out.
 */
export class Authorizer extends Construct {
  readonly authorizer: TokenAuthorizer;
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { identity, tables }: AuthorizerProps) {
    super(scope, id);
    const authorize = new ApiFunction(this, 'Authorize', {
      entry: 'authorizer/authorize',
      description: 'Tell who calls and what the token allows',
      environment: identity.verification,
    }).uses(tables, { partners: ['get'] });

    this.authorizer = new TokenAuthorizer(this, 'Token', {
      handler: authorize.lambda,
      // RFC 6750 section 2.1; anything else is 401 without a call of the function.
      validationRegex: '^[Bb]earer +[-0-9A-Za-z._~+/]+=*$',
      resultsCacheTtl: Duration.minutes(5),
    });
    this.watched = [failing(authorize, 'Partners get 500 on any call: their tokens can not be verified')];
  }
}
