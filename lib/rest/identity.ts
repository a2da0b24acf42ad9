import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { ResourceServerScope, UserPool, UserPoolResourceServer } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Scope } from '../../contract/endpoint';

const scopes: Readonly<Record<Scope, string>> = {
  'command:create': 'Create jobs',
  'command:read': 'Read jobs and follow their status',
  'command:update': 'Update, cancel and delete jobs',
  'stream:share': 'Share a device with viewers',
  'stream:publish': 'Publish telemetry',
  'share:read': 'Read shares and follow their status',
  'share:manage': 'Revoke shares',
  'resources:read': 'Read the fleet and follow its status',
};

export interface IdentityProps {
  /** Address that API Gateway gives to the API. */
  readonly apiUrl: string;
  /** {base_url}: partners know the resource server, and so the prefix of their scopes, by it. */
  readonly baseUrl: string;
  /** Which of several deployments in one account it is. */
  readonly stage: string | undefined;
  readonly removeData: boolean;
}

/**
 * Who may call. There are no users, only machines: each partner has an app client with its own secret and scopes, made
 * when the partner is onboarded, so none is part of the template.
 */
export class Identity extends Construct {
  readonly userPool: UserPool;
  /** Prefix of every scope that a new client gets: `<identifier>/command:read`. */
  readonly resourceServer: string;
  /** What a function needs to verify tokens, as environment variables. */
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
      { id: 'AwsSolutions-COG2', reason: 'There are no users who could use a second factor.' },
      { id: 'AwsSolutions-COG8', reason: 'What the Plus tier adds protects users’ sign-in, and there are no users.' },
    );
    const domain = this.userPool.addDomain('Domain', {
      // Unique among all accounts of the region.
      cognitoDomain: { domainPrefix: ['drone-mission-api', ...(stage ? [stage] : []), Aws.ACCOUNT_ID].join('-') },
    });
    // An identifier can't be changed without replacing the resource server, and with it every scope that clients hold:
    // a domain name of ours that is chosen later gets a resource server of its own, beside the first.
    this.addResourceServer('ResourceServer', apiUrl, policy);
    if (baseUrl !== apiUrl) this.addResourceServer('DomainResourceServer', baseUrl, policy);
    this.resourceServer = baseUrl;
    const RESOURCE_SERVERS = [...new Set([apiUrl, baseUrl])].join(' ');
    this.verification = { ISSUER: this.userPool.userPoolProviderUrl, RESOURCE_SERVERS };
    this.tokenUrl = `${domain.baseUrl()}/oauth2/token`;
  }

  /** It goes or stays with the pool: without it no client of the pool holds a scope. */
  private addResourceServer(id: string, identifier: string, policy: RemovalPolicy): void {
    new UserPoolResourceServer(this, id, {
      userPool: this.userPool,
      identifier,
      userPoolResourceServerName: 'drone-mission-api',
      scopes: Object.entries(scopes).map(
        ([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription }),
      ),
    }).applyRemovalPolicy(policy);
  }
}
