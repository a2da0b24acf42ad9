import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { ResourceServerScope, UserPool, UserPoolResourceServer } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Scope } from '../contract/endpoint';

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
  /** {base_url}: partners know the resource server, and so the prefix of their scopes, by the address of the API. */
  readonly baseUrl: string;
  readonly removeData: boolean;
}

/**
 * Who may call. There are no users, only machines: each partner has an app client with its own secret and scopes, made
 * when the partner is onboarded, so none is part of the template.
 */
export class Identity extends Construct {
  readonly userPool: UserPool;
  /** Prefix of every scope in a token: `<identifier>/command:read`. */
  readonly resourceServer: string;
  /** `iss` of the tokens, and where their keys are found. */
  readonly issuer: string;
  /** OAuth 2.0 token endpoint. */
  readonly tokenUrl: string;

  constructor(scope: Construct, id: string, { baseUrl, removeData }: IdentityProps) {
    super(scope, id);
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
      removalPolicy: removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    Validations.of(this.userPool).acknowledge(
      { id: 'AwsSolutions-COG2', reason: 'There are no users who could use a second factor.' },
      { id: 'AwsSolutions-COG8', reason: 'What the Plus tier adds protects users’ sign-in, and there are no users.' },
    );
    const domain = this.userPool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: `drone-mission-api-${Aws.ACCOUNT_ID}` },
    });
    new UserPoolResourceServer(this, 'ResourceServer', {
      userPool: this.userPool,
      identifier: baseUrl,
      userPoolResourceServerName: 'drone-mission-api',
      scopes: Object.entries(scopes).map(
        ([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription }),
      ),
    });
    this.resourceServer = baseUrl;
    this.issuer = this.userPool.userPoolProviderUrl;
    this.tokenUrl = `${domain.baseUrl()}/oauth2/token`;
  }
}
