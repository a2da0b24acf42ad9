/** Creation and deletion of a stack's authorizers and managed domain configurations, as CloudFormation does it, on the IoT Core of `local/`. */
import { createIot } from 'cloud-assembly-runner/iot';
import { permissionsIn } from '../permissions';
import type { CfnResource, Synthesised } from '../synthesised';

type Stack = Pick<Synthesised, 'byPath' | 'resources'>;

interface Call {
  readonly action: string;
  readonly parameters: unknown;
  readonly ignoreErrorCodesMatching?: string;
}

const isOfIot = ({ Type }: CfnResource) => Type === 'AWS::IoT::Authorizer' || Type.startsWith('Custom::MqttDomain');

/** Logical ids in an order in which CloudFormation creates them: after all that they refer to; it deletes in the reverse order. */
export function iotResources({ resources }: Stack): string[] {
  const ordered: string[] = [];
  const visited = new Set<string>();
  const visit = (id: string): void => {
    const resource = Object.hasOwn(resources, id) ? resources[id] : undefined;
    if (!resource || visited.has(id)) return;
    visited.add(id);
    const refs = JSON.stringify([resource.Properties, resource.DependsOn]).match(/\w+/g) ?? [];
    for (const ref of refs) visit(ref);
    if (isOfIot(resource)) ordered.push(id);
  };
  for (const id of Object.keys(resources)) visit(id);
  return ordered;
}

export function iotDeletion(stack: Stack) {
  const { nameOf } = permissionsIn(stack);
  const { deploymentApi: api, create } = createIot({
    region: 'eu-central-1',
    accountId: '123456789012',
    port: 0,
    certificate: { key: '', cert: '' },
    lambda: { invoke: () => Promise.resolve(null), permits: () => true },
    log: () => undefined,
  });
  const authorizerName = (id: string) => nameOf({ Ref: id });

  /** Makes the call of a custom resource on a stack event, if it has one. */
  function run({ Properties }: CfnResource, stackEvent: 'Create' | 'Delete'): void {
    const text = Properties[stackEvent];
    if (text === undefined) return;
    const { action, parameters, ignoreErrorCodesMatching = '^$' } = JSON.parse(nameOf(text)) as Call;
    try {
      api.call(action, parameters);
    } catch (error) {
      if (!(error instanceof Error) || !new RegExp(ignoreErrorCodesMatching).test(error.name)) throw error;
    }
  }

  const resourceOf = (id: string): CfnResource => {
    const found = stack.resources[id];
    if (!found) throw new Error(`There is no ${id}`);
    return found;
  };

  return {
    create(id: string): void {
      const resource = resourceOf(id);
      if (resource.Type !== 'AWS::IoT::Authorizer') {
        run(resource, 'Create');
        return;
      }
      const properties = {
        AuthorizerName: authorizerName(id),
        AuthorizerFunctionArn: 'f',
        SigningDisabled: true,
        Status: 'ACTIVE',
      };
      void create({ type: resource.Type, logicalId: id, properties, metadata: {} });
    },

    /** CloudFormation's handler of an authorizer sets it inactive and deletes it. */
    remove(id: string): void {
      const resource = resourceOf(id);
      if (resource.Type !== 'AWS::IoT::Authorizer') {
        run(resource, 'Delete');
        return;
      }
      api.call('updateAuthorizer', { authorizerName: authorizerName(id), status: 'INACTIVE' });
      api.call('deleteAuthorizer', { authorizerName: authorizerName(id) });
    },

    statusOf: (domainConfigurationName: string) =>
      api.call('describeDomainConfiguration', { domainConfigurationName })['domainConfigurationStatus'],
  };
}
