/**
 * Domain configurations: AWS IoT API reference (CreateDomainConfiguration, UpdateDomainConfiguration,
 * DescribeDomainConfiguration) and CloudFormation's AWS::IoT::DomainConfiguration. Created by the resource type, or by API
 * calls of the CDK's AwsCustomResource at deployment.
 */
import * as z from 'zod';
import { AwsCallError } from '../cloudformation/aws-custom-resource';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Created, Resource } from '../service';
import type { Arns } from './arns';
import type { Operation } from './deployment-api';

const settings = {
  authenticationType: z.enum(['CUSTOM_AUTH', 'DEFAULT']).default('DEFAULT'),
  applicationProtocol: z.enum(['SECURE_MQTT', 'MQTT_WSS', 'DEFAULT']).default('DEFAULT'),
  authorizerConfig: z
    .object({ defaultAuthorizerName: z.string(), allowAuthorizerOverride: z.literal(false).default(false) })
    .optional(),
  tlsConfig: z.unknown().optional(),
};
const status = z.enum(['ENABLED', 'DISABLED']);
const named = { domainConfigurationName: z.string().regex(/^[\w.-]{1,128}$/) };

const createInput = z.strictObject({ ...named, serviceType: z.literal('DATA').default('DATA'), ...settings });
const updateInput = z
  .strictObject({ ...named, domainConfigurationStatus: status, removeAuthorizerConfig: z.boolean(), ...settings })
  .partial();
const describeInput = z.strictObject(named);

/** CloudFormation's property names. The default of the status is not documented: the stricter one is assumed. */
const properties = z.object({
  DomainConfigurationName: z.string().optional(),
  DomainConfigurationStatus: status.default('DISABLED'),
  ServiceType: z.literal('DATA').default('DATA'),
  DomainName: z.string(),
  ServerCertificateArns: z.array(z.string()).length(1),
  AuthenticationType: settings.authenticationType,
  ApplicationProtocol: settings.applicationProtocol,
  AuthorizerConfig: z
    .object({ DefaultAuthorizerName: z.string(), AllowAuthorizerOverride: z.literal(false).default(false) })
    .optional(),
});

interface DomainConfiguration {
  readonly domainName: string;
  readonly isManaged: boolean;
  domainConfigurationStatus: z.infer<typeof status>;
  defaultAuthorizerName: string | undefined;
  readonly applicationProtocol: z.infer<typeof settings.applicationProtocol>;
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
      const { domainConfigurationName: name, authorizerConfig, applicationProtocol } = createInput.parse(input);
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
      const { domainConfigurationName: name = '', ...changes } = updateInput.parse(input);
      const found = find(name);
      found.domainConfigurationStatus = changes.domainConfigurationStatus ?? found.domainConfigurationStatus;
      if (changes.removeAuthorizerConfig) found.defaultAuthorizerName = undefined;
      found.defaultAuthorizerName = changes.authorizerConfig?.defaultAuthorizerName ?? found.defaultAuthorizerName;
      return { domainConfigurationName: name, domainConfigurationArn: arnOf(name) };
    },
    describeDomainConfiguration(input) {
      const { domainConfigurationName: name } = describeInput.parse(input);
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
      const declared = propertiesOf(resource, properties);
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
