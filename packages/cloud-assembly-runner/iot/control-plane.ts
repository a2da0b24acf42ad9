/**
 * Authorizers and domain configurations: CloudFormation AWS::IoT::Authorizer and AWS::IoT::DomainConfiguration, and the
 * calls that are made during a deployment, of CloudFormation or of the AwsCustomResource of the CDK (AWS IoT API reference:
 * UpdateAuthorizer, DeleteAuthorizer, CreateDomainConfiguration, UpdateDomainConfiguration, DescribeDomainConfiguration).
 */
import * as z from 'zod';
import { AwsCallError, type DeploymentApi } from '../cloudformation/aws-custom-resource';
import type { Arns } from './arns';
import { propertiesOf } from '../cloudformation/properties';
import type { Lambda } from '../lambda';
import type { Created, Resource } from '../service';
import { createAuthorizer, type Authorizer } from './authorizer';
import { physicalId } from '../cloudformation/physical-id';

/** An operation by the SDK's method name. @throws AwsCallError as AWS would, ZodError for unsupported parameters */
type Operation = (input: unknown) => Readonly<Record<string, string>>;

const resourceNames = z.object({
  authorizerName: z.string().optional(),
  domainConfigurationName: z.string().default(''),
});

/** @param domainArnOf ARN of the domain configuration with a name */
export function createDeploymentApi(
  operations: Readonly<Record<string, Operation>>,
  arns: Arns,
  domainArnOf: (name: string) => string,
): DeploymentApi {
  return {
    service: 'iot',
    resourceOf(parameters) {
      const { authorizerName, domainConfigurationName } = resourceNames.parse(parameters);
      return authorizerName === undefined ? domainArnOf(domainConfigurationName) : arns.authorizer(authorizerName);
    },
    call(action, parameters) {
      const operation = Object.hasOwn(operations, action) ? operations[action] : undefined;
      if (!operation) throw new Error(`the call iot:${action} is not supported on this machine`);
      return operation(parameters);
    },
  };
}

const authorizerStatus = z.enum(['ACTIVE', 'INACTIVE']);
const authorizerProperties = z.object({
  AuthorizerName: z.string().optional(),
  AuthorizerFunctionArn: z.string(),
  SigningDisabled: z.literal(true),
  Status: authorizerStatus.default('INACTIVE'),
});
const namedAuthorizer = { authorizerName: z.string() };
const updateAuthorizerInput = z.strictObject({ ...namedAuthorizer, status: authorizerStatus });
const deleteAuthorizerInput = z.strictObject(namedAuthorizer);

export interface Authorizers {
  create(resource: Resource): Created;
  /** The active authorizer of this name. */
  active(name: string): Authorizer | undefined;
  /** What CloudFormation calls to delete one. */
  readonly operations: Readonly<Record<string, Operation>>;
}

export interface AuthorizersOptions {
  readonly arns: Arns;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  /** Whether a domain configuration names the authorizer, enabled or not. */
  isNamed(authorizerName: string): boolean;
  log(line: string): void;
}

export function createAuthorizers({ arns, lambda, isNamed, log }: AuthorizersOptions): Authorizers {
  const authorizers = new Map<
    string,
    { readonly authorizer: Authorizer; readonly status: z.infer<typeof authorizerStatus> }
  >();

  function find(name: string) {
    const found = authorizers.get(name);
    if (!found) throw new AwsCallError('ResourceNotFoundException', `There is no authorizer ${name}`);
    return found;
  }

  return {
    create(resource) {
      const {
        AuthorizerName,
        AuthorizerFunctionArn: functionArn,
        Status,
      } = propertiesOf(resource, authorizerProperties);
      const name = AuthorizerName ?? resource.logicalId;
      const arn = arns.authorizer(name);
      authorizers.set(name, { authorizer: createAuthorizer({ arn, functionArn, lambda, log }), status: Status });
      return { ref: name, attributes: { Arn: arn } };
    },

    active(name) {
      const found = authorizers.get(name);
      return found?.status === 'ACTIVE' ? found.authorizer : undefined;
    },

    operations: {
      updateAuthorizer(input) {
        const { authorizerName, status: wanted } = updateAuthorizerInput.parse(input);
        authorizers.set(authorizerName, { authorizer: find(authorizerName).authorizer, status: wanted });
        return { authorizerName, authorizerArn: arns.authorizer(authorizerName) };
      },
      deleteAuthorizer(input) {
        const { authorizerName } = deleteAuthorizerInput.parse(input);
        if (find(authorizerName).status === 'ACTIVE')
          throw new AwsCallError('InvalidRequestException', `${authorizerName} is active`);
        if (isNamed(authorizerName))
          throw new AwsCallError('DeleteConflictException', `a domain configuration names ${authorizerName}`);
        authorizers.delete(authorizerName);
        return {};
      },
    },
  };
}

const domainSettings = {
  authenticationType: z.enum(['CUSTOM_AUTH', 'DEFAULT']).default('DEFAULT'),
  applicationProtocol: z.enum(['SECURE_MQTT', 'MQTT_WSS', 'DEFAULT']).default('DEFAULT'),
  authorizerConfig: z
    .object({ defaultAuthorizerName: z.string(), allowAuthorizerOverride: z.literal(false).default(false) })
    .optional(),
  tlsConfig: z.unknown().optional(),
};
const domainStatus = z.enum(['ENABLED', 'DISABLED']);
const namedDomain = { domainConfigurationName: z.string().regex(/^[\w.-]{1,128}$/) };

const createDomainInput = z.strictObject({
  ...namedDomain,
  serviceType: z.literal('DATA').default('DATA'),
  ...domainSettings,
});
const updateDomainInput = z
  .strictObject({
    ...namedDomain,
    domainConfigurationStatus: domainStatus,
    removeAuthorizerConfig: z.boolean(),
    ...domainSettings,
  })
  .partial();
const describeDomainInput = z.strictObject(namedDomain);

/** CloudFormation's property names. The default of the status is not documented: the stricter one is assumed. */
const domainProperties = z.object({
  DomainConfigurationName: z.string().optional(),
  DomainConfigurationStatus: domainStatus.default('DISABLED'),
  ServiceType: z.literal('DATA').default('DATA'),
  DomainName: z.string(),
  ServerCertificateArns: z.array(z.string()).length(1),
  AuthenticationType: domainSettings.authenticationType,
  ApplicationProtocol: domainSettings.applicationProtocol,
  AuthorizerConfig: z
    .object({ DefaultAuthorizerName: z.string(), AllowAuthorizerOverride: z.literal(false).default(false) })
    .optional(),
});

interface DomainConfiguration {
  readonly domainName: string;
  readonly isManaged: boolean;
  domainConfigurationStatus: z.infer<typeof domainStatus>;
  defaultAuthorizerName: string | undefined;
  readonly applicationProtocol: z.infer<typeof domainSettings.applicationProtocol>;
}

/** A domain configuration that is enabled. */
interface Enabled {
  readonly defaultAuthorizerName: string | undefined;
}

export interface DomainConfigurations {
  /** Creates one with a custom domain name. */
  create(resource: Resource): Created;
  /** Creates, updates and describes those with a domain name of AWS. */
  readonly operations: Readonly<Record<string, Operation>>;
  arnOf(name: string): string;
  /** Whether one names the authorizer, enabled or not. */
  isNamed(authorizerName: string): boolean;
  /** The configuration that the broker serves over TLS: the first enabled one that is not for WebSockets. */
  enabled(): Enabled | undefined;
  /** The enabled configuration for MQTT over WebSockets with this domain. */
  webSocketAt(domain: string): Enabled | undefined;
}

export function createDomainConfigurations(arns: Arns, region: string): DomainConfigurations {
  const configurations = new Map<string, DomainConfiguration>();
  // AWS appends an id to the name.
  const arnOf = (name: string) => arns.domainconfiguration(`${name}/${physicalId(name, 5)}`);

  const operations: Readonly<Record<string, Operation>> = {
    createDomainConfiguration(input) {
      const { domainConfigurationName: name, authorizerConfig, applicationProtocol } = createDomainInput.parse(input);
      if (configurations.has(name)) throw new AwsCallError('ResourceAlreadyExistsException', `${name} exists`);
      configurations.set(name, {
        domainName: `${physicalId(name, 21)}-ats.iot.${region}.amazonaws.com`,
        isManaged: true,
        domainConfigurationStatus: 'ENABLED',
        defaultAuthorizerName: authorizerConfig?.defaultAuthorizerName,
        applicationProtocol,
      });
      return { domainConfigurationName: name, domainConfigurationArn: arnOf(name) };
    },
    updateDomainConfiguration(input) {
      const { domainConfigurationName: name = '', ...changes } = updateDomainInput.parse(input);
      const found = find(name);
      found.domainConfigurationStatus = changes.domainConfigurationStatus ?? found.domainConfigurationStatus;
      if (changes.removeAuthorizerConfig) found.defaultAuthorizerName = undefined;
      found.defaultAuthorizerName = changes.authorizerConfig?.defaultAuthorizerName ?? found.defaultAuthorizerName;
      return { domainConfigurationName: name, domainConfigurationArn: arnOf(name) };
    },
    describeDomainConfiguration(input) {
      const { domainConfigurationName: name } = describeDomainInput.parse(input);
      const { domainName, isManaged, domainConfigurationStatus } = find(name);
      const domainType = isManaged ? 'AWS_MANAGED' : 'CUSTOMER_MANAGED';
      return { domainConfigurationName: name, domainName, domainConfigurationStatus, domainType };
    },
  };

  function find(name: string): DomainConfiguration {
    const found = configurations.get(name);
    if (!found) throw new AwsCallError('ResourceNotFoundException', `There is no domain configuration ${name}`);
    return found;
  }

  const enabled = () =>
    [...configurations.values()].filter(({ domainConfigurationStatus: state }) => state === 'ENABLED');

  return {
    create(resource) {
      const declared = propertiesOf(resource, domainProperties);
      const name = declared.DomainConfigurationName ?? resource.logicalId;
      configurations.set(name, {
        domainName: declared.DomainName,
        isManaged: false,
        domainConfigurationStatus: declared.DomainConfigurationStatus,
        defaultAuthorizerName: declared.AuthorizerConfig?.DefaultAuthorizerName,
        applicationProtocol: declared.ApplicationProtocol,
      });
      return { ref: name, attributes: { Arn: arnOf(name), DomainType: 'CUSTOMER_MANAGED' } };
    },
    operations,
    arnOf,
    isNamed: (name) => [...configurations.values()].some(({ defaultAuthorizerName }) => defaultAuthorizerName === name),
    enabled: () => enabled().find(({ applicationProtocol }) => applicationProtocol !== 'MQTT_WSS'),
    webSocketAt: (domain) =>
      enabled().find((one) => one.domainName === domain && one.applicationProtocol === 'MQTT_WSS'),
  };
}
