import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { ResourceServerScope, UserPool, UserPoolResourceServer } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { scopeDescriptions } from '../../contract/terms/scopes';
import { SERVICE } from '../../domain/values/service';
import { publishOutputs } from '../foundation/publish-outputs';

export interface IdentityProps {
  /** Address that API Gateway assigns to the API. */
  readonly apiUrl: string;
  /** {base_url}: identifier of the resource server, and so the prefix of partners' scopes. */
  readonly baseUrl: string;
  /** Distinguishes deployments in one account. */
  readonly stage: string | undefined;
  readonly removeData: boolean;
}

/**
 * Cognito user pool for machine-to-machine access. It has no users: each partner has an app client with its own secret and
 * scopes, created during onboarding and not by this stack.
 */
export class UserPoolWithKeys extends Construct {
  readonly userPool: UserPool;
  /** Prefix of every scope that a new client gets: `<identifier>/command:read`. */
  readonly resourceServer: string;
  /** Environment variables with which a function verifies tokens. */
  readonly verification: Readonly<Record<'ISSUER' | 'RESOURCE_SERVERS', string>>;
  /** OAuth 2.0 token endpoint. */
  readonly tokenUrl: string;

  constructor(scope: Construct, id: string, { apiUrl, baseUrl, stage, removeData }: IdentityProps) {
    super(scope, id);
    const policy = removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.userPool = new UserPool(this, 'UserPool', {
      selfSignUpEnabled: false,
      signInAliases: { username: true },
      passwordPolicy: {
        minLength: 16,
        requireDigits: true,
        requireLowercase: true,
        requireSymbols: true,
        requireUppercase: true,
      },
      deletionProtection: !removeData,
      removalPolicy: policy,
    });
    Validations.of(this.userPool).acknowledge(
      { id: 'AwsSolutions-COG2', reason: 'The pool has no users, so there is no second factor.' },
      { id: 'AwsSolutions-COG8', reason: 'The Plus tier protects the sign-in of users, and the pool has no users.' },
    );
    const domain = this.userPool.addDomain('Domain', {
      // Unique among all accounts of the region.
      cognitoDomain: { domainPrefix: [SERVICE, ...(stage ? [stage] : []), Aws.ACCOUNT_ID].join('-') },
    });
    // Changing an identifier would replace the resource server and with it the scopes of all clients, so a custom domain that is
    // added later gets a second resource server.
    this.addResourceServer('ResourceServer', apiUrl, policy);
    if (baseUrl !== apiUrl) this.addResourceServer('DomainResourceServer', baseUrl, policy);
    this.resourceServer = baseUrl;
    const RESOURCE_SERVERS = [...new Set([apiUrl, baseUrl])].join(' ');
    this.verification = { ISSUER: this.userPool.userPoolProviderUrl, RESOURCE_SERVERS };
    this.tokenUrl = `${domain.baseUrl()}/oauth2/token`;
    publishOutputs(this, { ResourceServer: this.resourceServer, UserPoolId: this.userPool.userPoolId });
  }

  /** Its removal policy is that of the pool: without it no client of the pool has a scope. */
  private addResourceServer(id: string, identifier: string, policy: RemovalPolicy): void {
    new UserPoolResourceServer(this, id, {
      userPool: this.userPool,
      identifier,
      userPoolResourceServerName: SERVICE,
      scopes: Object.entries(scopeDescriptions).map(
        ([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription }),
      ),
    }).applyRemovalPolicy(policy);
  }
}
